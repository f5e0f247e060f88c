"""The cases that are due, by area."""

CASES: dict[str, tuple[str, ...]] = {
    "search": (
        "q_cpp", "q_hyphen", "q_dotted", "q_apostrophe", "q_colon", "q_inner_quote", "q_parens",
        "q_star", "q_not", "q_and_trailing", "q_near", "q_minus_prefix", "q_slash", "q_2char",
        "q_1char", "q_mid_sentence", "q_glued", "q_question", "q_trad", "q_accent", "q_nfd",
        "q_punct_only", "q_blank", "q_injection", "topk_zero", "topk_negative", "topk_huge",
    ),
    "vector": ("knn_over_4096", "deleted_rows", "rowid_reuse"),
    "embedding": (
        "nan_vector", "dim_changes", "emb_order", "emb_short", "emb_gap", "emb_dupidx",
        "emb_batch10", "emb_batch64", "emb_empty", "emb_429_retry_after", "emb_429_forever",
        "emb_500_503", "emb_html_200", "emb_partial_batch", "emb_url_slash", "emb_url_v1",
        "emb_url_deep", "emb_url_bad", "emb_key_leak",
    ),
    "chunking": (
        "ch_str", "ch_float", "ch_bool", "ch_huge", "ch_one", "ch_fffd_sweep", "ch_linear",
        "ch_offline",
    ),
    "path": (
        "pa_tilde", "pa_space_cn", "pa_dir", "pa_missing", "pa_symlink", "pa_fifo", "pa_ext_case",
        "pa_unsupported", "pa_dup_in_call", "pa_mixed", "pa_update_moved",
    ),
    "names": ("name_kb_dup", "name_kb_empty", "name_kb_case"),
    "state": ("delete_current", "state_missing"),
    "environment": ("no_ext",),
    "database": (
        "db_import_wal", "db_foreign", "db_missing_table", "db_old_schema", "db_same_names",
        "db_hostile", "db_dims", "db_corrupt", "db_export_atomic", "db_ids", "fts_integrity",
    ),
    "mcp": (
        "mcp_stdout", "mcp_single_string", "mcp_extra_arg", "mcp_missing_arg", "mcp_long_import",
        "mcp_retry_dup", "mcp_large", "mcp_cwd",
    ),
    "concurrency": ("lock_two_writers", "lock_read_during_import", "kill_mid_import"),
}  # fmt: skip
