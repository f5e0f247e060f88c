"""What the doctor finds: a sentence of fact, then what puts it right."""

TEXTS: dict[str, tuple[str, str]] = {
    "result.doctor.healthy": (
        "Everything is in order.",
        "一切正常。",
    ),
    "result.doctor.notices": (
        "Nothing is wrong. Worth knowing: {notices}.",
        "没有问题；另有 {notices} 条提示。",
    ),
    "result.doctor.repaired": (
        "Repaired: {repaired}. Nothing else is wrong.",
        "已修复 {repaired} 个问题，没有其他问题。",
    ),
    "result.doctor.problems": (
        "Problems: {problems}, repaired: {repaired}. `rag-server doctor --fix` repairs what can be repaired.",
        "问题 {problems} 个，已修复 {repaired} 个。`rag-server doctor --fix` 可修复能够修复的问题。",
    ),
    "doctor.mark.problem": ("problem ", "问题  "),
    "doctor.mark.repaired": ("repaired", "已修复"),
    "doctor.mark.notice": ("notice  ", "提示  "),
    "doctor.environment": (
        "ragkb {ragkb}, Python {python}, SQLite {sqlite}, sqlite-vec {vector_extension}\nhome {home}\ndatabase {database}, schema {schema}, {size_mb} MB ({reclaimable_mb} MB reclaimable), {free_mb} MB free on the disk",
        "ragkb {ragkb}，Python {python}，SQLite {sqlite}，sqlite-vec {vector_extension}\n数据目录 {home}\n数据库 {database}，结构版本 {schema}，{size_mb} MB（可回收 {reclaimable_mb} MB），磁盘剩余 {free_mb} MB",
    ),
    "doctor.base": (
        "{name}: documents {documents}, chunks {chunks}, without vector {missing}, vectors {models}",
        "{name}：文档 {documents}，分块 {chunks}，缺向量 {missing}，向量 {models}",
    ),
    "doctor.no_database": (
        "There is no database yet. Create a knowledge base with `rag-server create_kb`.",
        "还没有数据库。请用 `rag-server create_kb` 创建知识库。",
    ),
    "doctor.permissions": (
        "Other users of this computer can read {path}, which holds or may hold keys. --fix makes it yours alone.",
        "本机的其他用户可以读取 {path}，其中含有或可能含有密钥。--fix 可改为仅您本人可读。",
    ),
    "doctor.old_keys": (
        "The safety copy {path} still holds API keys in clear text. Delete it when you are content with the upgrade.",
        "升级前的副本 {path} 中仍有明文 API 密钥。确认升级无误后请将其删除。",
    ),
    "doctor.old_keys.ask": (
        "Delete {path}? There is no way back to the old file then. [y/N] ",
        "是否删除 {path}？删除后将无法退回旧文件。[y/N] ",
    ),
    "doctor.old_keys.deleted": ("Deleted {path}.", "已删除 {path}。"),
    "doctor.index": (
        "The search index of '{kb_name}' does not agree with its chunks (not indexed: {unindexed}, of deleted or changed chunks: {orphans}) {detail}. --fix makes it anew.",
        "“{kb_name}”的搜索索引与其分块不一致（未编入 {unindexed}，属于已删除或已更改的 {orphans}）{detail}。--fix 可重建索引。",
    ),
    "doctor.damaged_document": (
        "A document of '{kb_name}' is damaged: {reason}. Import its file again, or delete it.",
        "“{kb_name}”中有文档损坏：{reason}。请重新导入其文件，或将其删除。",
    ),
    "doctor.split": (
        "'{doc_name}' in '{kb_name}' has text and no chunks, or chunks that are not in its text. --fix splits it anew.",
        "“{kb_name}”中的“{doc_name}”有文字但没有分块，或分块与文字不符。--fix 可重新切分。",
    ),
    "doctor.no_text": (
        "Documents of '{kb_name}' without any text: {count} ({names}). Import their files again, or delete them.",
        "“{kb_name}”中没有文字的文档：{count} 个（{names}）。请重新导入其文件，或将其删除。",
    ),
    "doctor.source_vanished": (
        "Files of '{kb_name}' that are no longer where they were: {count} ({names}). Their text is in the base; nothing needs to be done.",
        "“{kb_name}”中源文件已不在原处的文档：{count} 个（{names}）。文字已保存在库中，无需处理。",
    ),
    "doctor.source_changed": (
        "Files of '{kb_name}' that have changed since: {count} ({names}). Import them again to take in the changes.",
        "“{kb_name}”中源文件已更改的文档：{count} 个（{names}）。如需纳入更改，请重新导入。",
    ),
    "doctor.damaged_vectors": (
        "Vectors of '{kb_name}' that cannot be read: {count}. --fix removes them and `rag-server embed` makes new ones.",
        "“{kb_name}”中无法读取的向量：{count} 个。--fix 会将其移除，`rag-server embed` 可重新生成。",
    ),
    "doctor.superseded": (
        "Vectors of '{kb_name}' under other models that newer ones have replaced: {count}. --fix removes them.",
        "“{kb_name}”中已被新向量取代的其他模型的向量：{count} 个。--fix 会将其移除。",
    ),
    "doctor.unknown_vectors": (
        "{count} vectors of '{kb_name}' come from an old file that does not name their model (dimension {dimension}); they are not searched. `rag-server embed` uses them on if the model in use made them, else it makes new ones.",
        "“{kb_name}”有 {count} 个向量来自未注明模型的旧文件（{dimension} 维），未用于搜索。如果它们出自现用模型，`rag-server embed` 会继续使用，否则重新生成。",
    ),
    "doctor.other_vectors": (
        "{count} vectors of '{kb_name}' belong to the model {model} (dimension {dimension}), not to the one in use; they are not searched. `rag-server embed` makes what is missing.",
        "“{kb_name}”有 {count} 个向量属于模型 {model}（{dimension} 维），不是现用模型，未用于搜索。`rag-server embed` 可补齐缺少的向量。",
    ),
    "doctor.missing_vectors": (
        "{count} chunks of '{kb_name}' have no vector yet and are found by keyword only. `rag-server embed` makes them.",
        "“{kb_name}”有 {count} 块还没有向量，只能按关键词找到。`rag-server embed` 可补齐。",
    ),
    "doctor.unsettled": (
        "{count} documents of '{kb_name}' have another state than their vectors. --fix or `rag-server embed` corrects it.",
        "“{kb_name}”有 {count} 个文档的状态与其向量不符。--fix 或 `rag-server embed` 可更正。",
    ),
    "doctor.stray_indexes": (
        "Index tables of knowledge bases that do not exist: {count}. --fix removes them.",
        "属于不存在的知识库的索引表：{count} 个。--fix 会将其移除。",
    ),
    "doctor.references": (
        "Rows that belong to no document or knowledge base: {count}. --fix removes them.",
        "不属于任何文档或知识库的行：{count} 条。--fix 会将其移除。",
    ),
    "doctor.file": (
        "The file is damaged: {detail}. Restore it from a copy; until then `rag-server export_db` may still save what can be read.",
        "文件已损坏：{detail}。请用副本恢复；在此之前，`rag-server export_db` 或许还能保存可读的内容。",
    ),
}
