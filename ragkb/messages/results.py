"""What commands say when they are done, and what is worth saying beside it."""

TEXTS: dict[str, tuple[str, str]] = {
    "result.create_kb": (
        "Created the knowledge base '{kb_name}' (chunk size {chunk_size} tokens, model {model}).",
        "已创建知识库“{kb_name}”（分块大小 {chunk_size} token，模型 {model}）。",
    ),
    "result.delete_kb": ("Deleted the knowledge base '{kb_name}'.", "已删除知识库“{kb_name}”。"),
    "result.list_kb": (
        "Knowledge bases: {count}. The selected one is marked *.",
        "知识库：{count} 个。带 * 的是当前选中的。",
    ),
    "result.list_kb.none": (
        "There are no knowledge bases yet. Create one with `rag-server create_kb --kb_name NAME --chunk_size 512`.",
        "还没有知识库。请用 `rag-server create_kb --kb_name 名称 --chunk_size 512` 创建。",
    ),
    "result.select_kb": (
        "Selected the knowledge base '{kb_name}' (documents: {document_count}).",
        "已选择知识库“{kb_name}”（文档：{document_count} 个）。",
    ),
    "result.config_kb": (
        "'{kb_name}' now uses the model {model} with the new settings; its vectors stay.",
        "“{kb_name}”现以新设置使用模型 {model}；已有向量保留。",
    ),
    "result.reembed_kb": (
        "'{kb_name}' now uses the model {model} ({embedded} chunks embedded). Go back with --rollback, or delete the old vectors with --drop-old.",
        "“{kb_name}”现使用模型 {model}（新嵌入 {embedded} 块）。可用 --rollback 退回，或用 --drop-old 删除旧向量。",
    ),
    "result.reembed_kb.partly": (
        "Made vectors of {model} for {embedded} chunks of '{kb_name}'; {missing} are still missing, and the old model answers until then. Run `rag-server reembed_kb` again to go on.",
        "已用 {model} 为“{kb_name}”的 {embedded} 块生成向量，尚缺 {missing} 块，此前仍由旧模型回答。再次运行 `rag-server reembed_kb` 可继续。",
    ),
    "result.reembed_kb.back": (
        "'{kb_name}' uses the model {model} again.",
        "“{kb_name}”已退回模型 {model}。",
    ),
    "result.reembed_kb.dropped": (
        "Deleted the old vectors of {count} chunks of '{kb_name}'.",
        "已删除“{kb_name}”中 {count} 块的旧向量。",
    ),
    "result.import_doc": (
        "Imported into '{kb_name}': {success} of {total} files, failed: {failed}, pending: {pending}.",
        "已导入“{kb_name}”：{total} 个文件中成功 {success} 个，失败 {failed} 个，待处理 {pending} 个。",
    ),
    "result.import_dir": (
        "Files: {new_count} new, {changed_count} changed, {unchanged_count} unchanged, {failed} failed, {skipped} skipped. Vanished documents: {vanished}.",
        "文件：新增 {new_count}，已更改 {changed_count}，未变 {unchanged_count}，失败 {failed}，跳过 {skipped}。文件已消失的文档：{vanished}。",
    ),
    "result.embed": (
        "Made vectors for {embedded} chunks of '{kb_name}'; {left} are still missing.",
        "已为“{kb_name}”的 {embedded} 个分块生成向量；尚缺 {left} 个。",
    ),
    "result.list_doc": ("Documents in '{kb_name}': {count}.", "“{kb_name}”中的文档：{count} 个。"),
    "result.list_doc.none": (
        "'{kb_name}' holds no documents yet. Import some with `rag-server import_doc --file_paths FILE`.",
        "“{kb_name}”中还没有文档。请用 `rag-server import_doc --file_paths 文件` 导入。",
    ),
    "result.show_doc": ("The text of '{doc_name}'.", "“{doc_name}”的文字。"),
    "result.update_doc": (
        "Split '{doc_name}' anew into {chunk_count} chunks of at most {chunk_size} tokens.",
        "已将“{doc_name}”重新切分为 {chunk_count} 块，每块至多 {chunk_size} token。",
    ),
    "result.delete_doc": (
        "Deleted '{doc_name}' from '{kb_name}'.",
        "已从“{kb_name}”删除“{doc_name}”。",
    ),
    "result.search": ("Passages from '{kb_name}': {count}.", "来自“{kb_name}”的 {count} 个段落。"),
    "result.search.none": (
        "Nothing in '{kb_name}' matches. Try other words, or see what it holds with `rag-server list_doc`.",
        "“{kb_name}”中没有匹配的内容。请换个说法，或用 `rag-server list_doc` 查看其中的文档。",
    ),
    "result.export_db": (
        "Knowledge bases written to {path}: {count}. `rag-server db verify` proves the file at any time.",
        "已将 {count} 个知识库写入 {path}。可随时用 `rag-server db verify` 核对该文件。",
    ),
    "result.import_db": (
        "Took in knowledge bases: {bases}, documents: {documents}. Nothing had to be embedded.",
        "已并入 {bases} 个知识库，共 {documents} 个文档。无需重新嵌入。",
    ),
    "result.import_db.dry": (
        "Would take in knowledge bases: {bases}, documents: {documents}. Nothing was changed.",
        "将并入 {bases} 个知识库，共 {documents} 个文档。未作任何改动。",
    ),
    "result.db_verify": (
        "{path} holds exactly what ragkb {version} exported on {exported_at}.",
        "{path} 的内容与 ragkb {version} 于 {exported_at} 导出时完全一致。",
    ),
    "result.db_verify.differs": (
        "{path} was exported by ragkb {version} on {exported_at} and does not hold what it held then. Export it again.",
        "{path} 由 ragkb {version} 于 {exported_at} 导出，但内容已与当时不同。请重新导出。",
    ),
    "result.db_upgrade.none": (
        "{path} has the schema {head} already; there is nothing to do.",
        "{path} 的结构版本已是 {head}，无需升级。",
    ),
    "result.db_upgrade.dry": (
        "{path} would be upgraded from schema {found} to {head} (chunks: {chunks}), after a copy was made. That may need {needed_mb} MB; {free_mb} MB are free. Nothing was changed.",
        "{path} 将从结构版本 {found} 升级到 {head}（{chunks} 块），升级前会先制作副本。可能需要 {needed_mb} MB，剩余空间 {free_mb} MB。未作任何改动。",
    ),
    "result.db_upgrade.done": (
        "{path} was upgraded from schema {found} to {head} (chunks: {chunks}).",
        "{path} 已从结构版本 {found} 升级到 {head}（{chunks} 块）。",
    ),
    "result.demo": (
        "That was the demo; nothing of it was kept. Begin with your own files: `rag-server --help`.",
        "演示结束，未保留任何数据。用自己的文件开始：`rag-server --help`。",
    ),
    "heading.name_there": ("name there", "原名称"),
    "heading.name_here": ("name here", "此处名称"),
    "heading.vectors": ("vectors", "向量数"),
    "mcp.listening": (
        "Serving MCP at {url}. Stop with Ctrl-C.",
        "MCP 服务已启动：{url}。按 Ctrl-C 停止。",
    ),
    "setup.claude-desktop": (
        "Put this into {path} and restart Claude Desktop:",
        "将以下内容放入 {path}，然后重启 Claude Desktop：",
    ),
    "setup.claude-code": (
        "Run this in a terminal (with --write it goes into {path}, for this folder only):",
        "在终端运行以下命令（加 --write 则写入 {path}，仅对当前文件夹有效）：",
    ),
    "setup.cursor": (
        "Put this into {path}; Cursor picks it up at once:",
        "将以下内容放入 {path}，Cursor 会立即生效：",
    ),
    "setup.vscode": (
        "Put this into {path} and start the server from that file:",
        "将以下内容放入 {path}，并在该文件中启动服务器：",
    ),
    "setup.cherry-studio": (
        "In Cherry Studio choose Settings > MCP Servers > Add > Import from JSON, paste this, and set the timeout to 120 seconds:",
        "在 Cherry Studio 中选择 设置 > MCP 服务器 > 添加 > 从 JSON 导入，粘贴以下内容，并将超时设为 120 秒：",
    ),
    "setup.dify": (
        "Dify connects over HTTP. Put a long random text into the variable RAGKB_TOKEN and the folders that may be imported into RAGKB_ALLOWED_ROOTS, start the server with the first line, then add in Dify under Tools > MCP:",
        "Dify 通过 HTTP 连接。将一段较长的随机文本放入变量 RAGKB_TOKEN，将允许导入的文件夹放入 RAGKB_ALLOWED_ROOTS，用第一行启动服务器，然后在 Dify 的 工具 > MCP 中添加：",
    ),
    "setup.written": (
        "Wrote the server 'ragkb' into {path}.",
        "已将服务器“ragkb”写入 {path}。",
    ),
    "note.setup_copy": ("The file as it was is {path}.", "原文件的副本：{path}。"),
    "heading.name": ("name", "名称"),
    "heading.chunk_size": ("chunk size", "分块大小"),
    "heading.documents": ("documents", "文档数"),
    "heading.model": ("embedding model", "嵌入模型"),
    "heading.created": ("created", "创建时间"),
    "heading.updated": ("updated", "更新时间"),
    "heading.type": ("type", "类型"),
    "heading.chunks": ("chunks", "块数"),
    "heading.state": ("state", "状态"),
    "state.ready": ("ready", "就绪"),
    "state.pending": ("{done} of {total} chunks embedded", "已嵌入 {done}/{total} 块"),
    "state.failed": ("failed: {reason}", "失败：{reason}"),
    "import.imported": ("imported ", "已导入"),
    "import.updated": ("updated  ", "已更新"),
    "import.unchanged": ("unchanged", "未变  "),
    "import.pending": ("pending  ", "待处理"),
    "import.failed": ("failed   ", "失败  "),
    "import.skipped": ("skipped    {reason}", "跳过    {reason}"),
    "import.vanished": (
        "vanished   {doc_name} (add --prune to delete it)",
        "已消失  {doc_name}（加 --prune 可删除）",
    ),
    "import.pruned": ("deleted    {doc_name}", "已删除  {doc_name}"),
    "import.chunks": ("chunks: {count}", "{count} 块"),
    "import.pages": ("pages: {count}", "{count} 页"),
    "import.characters": ("characters: {count}", "{count} 字符"),
    "import.stored_only": (
        "The text of '{name}' is stored and found by keyword, but has no vectors: {reason}",
        "“{name}”的文字已保存，可按关键词找到，但没有向量：{reason}",
    ),
    "search.page": ("page {page}", "第 {page} 页"),
    "search.scores": (
        "score {score}, keyword {keyword}, vector {vector}",
        "得分 {score}，关键词 {keyword}，向量 {vector}",
    ),
    "search.channel": (
        "Searched by keyword only: {problem}",
        "仅按关键词搜索：{problem}",
    ),
    "progress.chunks": ("embedding chunks", "正在嵌入"),
    "note.mark": ("Note: {note}", "提示：{note}"),
    "note.small_chunks": (
        "A chunk of {chunk_size} tokens is less than a sentence; 256 to 512 suits most documents.",
        "{chunk_size} token 的分块不足一句话；多数文档适合 256 至 512。",
    ),
    "note.renamed": (
        "There was already a '{given}' from another folder, so this one is stored as '{name}'.",
        "已有来自另一文件夹的“{given}”，因此此文件存为“{name}”。",
    ),
    "note.pages_without_text": (
        "Pages {pages} of {total} have no text layer (scans); install the extra ragkb[ocr] and import the file again to include them.",
        "共 {total} 页，其中第 {pages} 页没有文字层（扫描件）；安装扩展 ragkb[ocr] 后重新导入即可纳入。",
    ),
    "note.pages_silent": (
        "Pages {pages} of {total} have no text layer, and OCR found no text on them.",
        "共 {total} 页，其中第 {pages} 页没有文字层，文字识别（OCR）也没有找到文字。",
    ),
    "note.pages_by_ocr": (
        "Pages {pages} of {total} were read by OCR; check names and numbers.",
        "共 {total} 页，其中第 {pages} 页由文字识别（OCR）读取；请核对名称和数字。",
    ),
    "note.all_by_ocr": (
        "The text was read by OCR; check names and numbers.",
        "文字由文字识别（OCR）读取；请核对名称和数字。",
    ),
    "note.pages_garbled": (
        "Pages {pages} of {total} have letters that cannot be told from their glyphs and were left out; install the extra ragkb[ocr] and import the file again to include them.",
        "共 {total} 页，其中第 {pages} 页的字形无法还原成文字，未纳入；安装扩展 ragkb[ocr] 后重新导入即可纳入。",
    ),
    "note.source_gone": (
        "The file {path} is no longer there; the stored text was used.",
        "文件 {path} 已不存在；使用的是已保存的文字。",
    ),
    "note.source_changed": (
        "The file {path} has changed since; the stored text was used. Import it again to take in the changes.",
        "文件 {path} 已有改动；使用的是已保存的文字。如需纳入改动，请重新导入。",
    ),
    "note.top_k_clamped": (
        "At most {most} passages are given for one query.",
        "一次查询最多返回 {most} 个段落。",
    ),
    "note.empty_base": (
        "'{kb_name}' holds no documents yet. Import some with `rag-server import_doc --file_paths FILE`.",
        "“{kb_name}”中还没有文档。请用 `rag-server import_doc --file_paths 文件` 导入。",
    ),
    "note.missing_vectors": (
        "{missing} of {total} chunks have no vector yet; `rag-server embed` makes them.",
        "{total} 块中有 {missing} 块还没有向量；`rag-server embed` 可补齐。",
    ),
    "note.key_forgotten": (
        "The key that was kept for {endpoint} was removed and is not sent to the new address. Set the new one with --embedding_api_key.",
        "为 {endpoint} 保存的密钥已移除，不会发往新地址。请用 --embedding_api_key 设置新密钥。",
    ),
    "note.adopted": (
        "{count} vectors of the old file are used on: {model} gives the same ones (cosine {cosine}).",
        "旧文件中的 {count} 个向量继续使用：{model} 给出的向量与其相同（余弦 {cosine}）。",
    ),
    "note.not_adopted": (
        "The vectors of the old file are not those of {model} (cosine {cosine}), so '{kb_name}' gets new ones. If another model made them, name it with `rag-server config_kb --embedding_model`.",
        "旧文件中的向量不是 {model} 生成的（余弦 {cosine}），因此为“{kb_name}”重新生成。如果它们出自其他模型，请用 `rag-server config_kb --embedding_model` 指定。",
    ),
    "note.keys_moved": (
        "API keys that the file held: {count}. They were put into secrets.json.",
        "文件中含有 {count} 个 API 密钥，已移入 secrets.json。",
    ),
    "demo.created": (
        "Created and selected the knowledge base '{kb_name}' with the model {model}, in a temporary folder. Importing the sample documents:",
        "已在临时文件夹中创建并选择知识库“{kb_name}”，模型为 {model}。正在导入示例文档：",
    ),
    "demo.search": ("{kind}: {query}", "{kind}：{query}"),
    "demo.two_characters": ("A Chinese word of two characters", "两个字的中文词"),
    "demo.chinese_question": ("A question in Chinese", "用中文提问"),
    "demo.english_question": ("A question in English", "用英文提问"),
    "demo.across_languages": (
        "A question in English, answered by a Chinese document",
        "用英文提问，答案在中文文档里",
    ),
    "upgrading": (
        "Upgrading {path} to this version of ragkb (chunks: {chunks}), after making a copy of it ...",
        "正在将 {path} 升级到此版本的 ragkb（{chunks} 块），升级前会先制作副本……",
    ),
    "progress.upgrade": ("upgrading", "正在升级"),
    "upgrade.orphan_terms": (
        "Rows of the old keyword index that belonged to deleted chunks: {count}, left out.",
        "旧关键词索引中属于已删除分块的行：{count} 条，未保留。",
    ),
    "upgrade.orphan_vectors": (
        "Rows of the old vector index that belonged to deleted chunks: {count}, left out.",
        "旧向量索引中属于已删除分块的行：{count} 条，未保留。",
    ),
    "upgrade.orphan_documents": (
        "Documents of deleted knowledge bases: {count}, left out; the copy still holds them.",
        "属于已删除知识库的文档：{count} 个，未保留；副本中仍有。",
    ),
    "upgrade.orphan_chunks": (
        "Chunks of deleted documents: {count}, left out; the copy still holds them.",
        "属于已删除文档的分块：{count} 块，未保留；副本中仍有。",
    ),
    "upgrade.empty_documents": (
        "Documents without chunks: {count}. `rag-server doctor --fix` splits those that have text.",
        "没有分块的文档：{count} 个。`rag-server doctor --fix` 会切分其中有文字的文档。",
    ),
    "upgrade.renamed_documents": (
        "Documents whose name was taken in their knowledge base and that got a number: {count}.",
        "因与同一知识库中的文档重名而加上编号的文档：{count} 个。",
    ),
    "upgrade.recounted_chunks": (
        "Chunks without a token count, counted now: {count}.",
        "没有 token 数的分块，现已重新计数：{count} 块。",
    ),
    "upgrade.unaligned_chunks": (
        "Chunks that do not stand in their document's text: {count}, kept as they were.",
        "在文档原文中找不到的分块：{count} 块，按原样保留。",
    ),
    "upgrade.padded_vectors": (
        "Vectors that were padded with zeros, cut to their real dimension: {count}.",
        "用零填充的向量，已裁剪到实际维数：{count} 个。",
    ),
    "upgrade.vectors": (
        "Vectors of a model that the file does not name: {count}. They are kept and not searched until `rag-server embed` finds that the model is the one in use.",
        "文件未注明模型的向量：{count} 个。会保留但不用于搜索，直到 `rag-server embed` 确认模型与现用模型相同。",
    ),
    "upgraded": (
        "The database was upgraded to this version of ragkb. A copy of what it was lies at {copy}; to go back, put it in the database's place.",
        "数据库已升级到此版本的 ragkb。升级前的副本在 {copy}；如需退回，用它替换数据库文件即可。",
    ),
    "interrupted": (
        "Interrupted. What was finished is kept; run the command again to go on.",
        "已中断。已完成的部分保留；再次运行命令即可继续。",
    ),
    "unexpected": (
        "Something unexpected went wrong (incident {incident}, details above). Please report it with the lines above.",
        "出现意外错误（编号 {incident}，详情见上）。请连同以上信息反馈。",
    ),
}
