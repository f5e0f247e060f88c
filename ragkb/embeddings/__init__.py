"""Text to vectors: the Embedder protocol and its implementations."""
