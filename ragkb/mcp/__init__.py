"""The MCP server: what an AI client sees. Importing this package is cheap."""
