"""What an AI client reads: tools, their parameters, resources, the prompt, and refusals.

A refusal or note whose sentence for people names a command has one here under `in_tool.KEY` that
names a tool.
"""

TEXTS: dict[str, tuple[str, str]] = {
    "tools.title": ("ragkb knowledge bases", "ragkb 知识库"),
    "tools.instructions": (
        "Knowledge bases of the user's documents on this machine, searched by keyword and by meaning. To answer a question about the user's documents call search, and cite doc_name with page or heading. list_knowledge_bases shows what there is; select_knowledge_base sets the default for all later calls and chats, kb_name chooses for one call. Import files or whole folders by absolute path; a long import goes on in the background: call again with the same arguments to see the rest. Judge relevance by keyword_score and vector_score, not by score.",
        "本机用户文档的知识库，按关键词和语义检索。回答有关用户文档的问题时先调用 search，并注明 doc_name 及页码或标题。list_knowledge_bases 列出知识库；select_knowledge_base 设定默认库，kb_name 只对单次调用有效。用绝对路径导入文件或文件夹；长时间导入在后台继续，用相同参数再次调用即可查看其余部分。相关性看 keyword_score 和 vector_score。",
    ),
    "tools.create_knowledge_base.title": ("Create knowledge base", "新建知识库"),
    "tools.create_knowledge_base": (
        "Create an empty knowledge base; it is not selected yet. Without embedding arguments the built-in offline model is used.",
        "新建空的知识库（不会自动选中），默认用内置离线模型。",
    ),
    "tools.delete_knowledge_base.title": ("Delete knowledge base", "删除知识库"),
    "tools.delete_knowledge_base": (
        "Permanently delete a knowledge base with all its documents. The selected one is refused: select another first.",
        "永久删除知识库及其全部文档；当前选中的不能删除。",
    ),
    "tools.list_knowledge_bases.title": ("List knowledge bases", "列出知识库"),
    "tools.list_knowledge_bases": (
        "List all knowledge bases and which one is selected.",
        "列出全部知识库及当前选中项。",
    ),
    "tools.select_knowledge_base.title": ("Select knowledge base", "选择知识库"),
    "tools.select_knowledge_base": (
        "Make a knowledge base the default of later calls, for every client of this machine and after a restart.",
        "设为后续调用的默认知识库，对本机所有客户端有效，重启后保留。",
    ),
    "tools.import_document.title": ("Import files", "导入文件"),
    "tools.import_document": (
        "Read files into a knowledge base: PDF, DOCX, DOC, TXT, Markdown, HTML, RTF, CSV, XLSX, PPTX. Each succeeds or fails by itself. A long import returns what is done and goes on in the background (pending_files): call again with the same list to see the rest; nothing is imported twice.",
        "导入文件，逐个返回成败；未完成的在后台继续，用相同列表再次调用可查看其余结果，不会重复导入。",
    ),
    "tools.import_folder.title": ("Import folder", "导入文件夹"),
    "tools.import_folder": (
        "Import all documents in a folder and its subfolders; call again to bring in changes or to see the rest of a long import. Documents whose file has vanished are listed, and deleted only with prune.",
        "导入文件夹及子文件夹中的全部文档，再次调用可同步更改；仅在 prune 时删除文件已消失的文档。",
    ),
    "tools.search.title": ("Search", "检索"),
    "tools.search": (
        "Find the passages that answer a question, by keyword and by meaning, in Chinese or English. Cite doc_name with page or heading. keyword_score and vector_score tell how relevant a chunk is, score only orders them. channels says if one way of searching could not answer.",
        "按关键词和语义检索段落，回答时请注明 doc_name 及页码或标题。",
    ),
    "tools.list_documents.title": ("List documents", "列出文档"),
    "tools.list_documents": (
        "List the documents of a knowledge base by name, with their state (ready, pending, failed). Go on with next_offset while has_more is true.",
        "按名称列出文档及其状态，可分页。",
    ),
    "tools.delete_document.title": ("Delete document", "删除文档"),
    "tools.delete_document": (
        "Permanently delete a document from a knowledge base; the file on disk stays.",
        "从知识库永久删除文档，不删除磁盘上的文件。",
    ),
    "tools.update_document.title": ("Split document anew", "重新切分文档"),
    "tools.update_document": (
        "Split a document anew with another chunk size and embed the new chunks. The stored text is used, the file is not needed.",
        "按新的分块大小重新切分并向量化，不需要原文件。",
    ),
    "tools.export_database.title": ("Export database", "导出数据库"),
    "tools.export_database": (
        "Write a copy of all knowledge bases to a new file, without keys. An existing file is not overwritten.",
        "将全部知识库导出到新文件，不含密钥，不覆盖已有文件。",
    ),
    "tools.import_database.title": ("Import database", "导入数据库"),
    "tools.import_database": (
        "Merge an exported or old kb.db into this one. Knowledge bases whose name is taken get another one; nothing is embedded again.",
        "合并导出的或旧的 kb.db；重名的知识库会改名，不重新向量化。",
    ),
    "parameter.kb_name": ("Name of the knowledge base", "知识库名称"),
    "parameter.kb_name.optional": (
        "Knowledge base; by default the selected one",
        "知识库名称，默认当前选中的",
    ),
    "parameter.chunk_size": (
        "Most tokens in a chunk, usually 256 to 512",
        "每块最大 token 数，一般 256 至 512",
    ),
    "parameter.chunk_size.optional": (
        "Most tokens in a chunk; by default the knowledge base's",
        "每块最大 token 数，默认同知识库",
    ),
    "parameter.embedding_model.optional": (
        "Model name at the embedding service, or builtin:use-m3",
        "嵌入服务中的模型名，或 builtin:use-m3",
    ),
    "parameter.embedding_endpoint.optional": (
        "http(s) address of an OpenAI-compatible embedding service",
        "兼容 OpenAI 的嵌入服务地址",
    ),
    "parameter.embedding_api_key.optional": (
        "env:RAGKB_NAME of a variable with the key, or the key",
        "env:RAGKB_变量名，或密钥本身",
    ),
    "parameter.file_paths": ("Absolute paths of files", "文件的绝对路径"),
    "parameter.path": ("Absolute path of the folder", "文件夹的绝对路径"),
    "parameter.include.optional": (
        'Only files whose name or path in the folder matches, such as "*.pdf"',
        '只导入名称或相对路径匹配的文件，例如 "*.pdf"',
    ),
    "parameter.prune.optional": (
        "Also delete documents whose file has vanished",
        "同时删除文件已消失的文档",
    ),
    "parameter.query": ("A question, words or a part number", "问题、词语或编号"),
    "parameter.top_k.optional": (
        "How many chunks, 1 to 100; default {top_k}",
        "返回块数，1 至 100，默认 {top_k}",
    ),
    "parameter.neighbors.optional": (
        "Also give 0 to 3 chunks before and after each; default 0",
        "同时返回每块前后各 0 至 3 块，默认 0",
    ),
    "parameter.limit.optional": (
        "Most documents, 1 to 100; default 100",
        "最多返回的文档数，1 至 100，默认 100",
    ),
    "parameter.offset.optional": ("How many to skip; default 0", "跳过的个数，默认 0"),
    "parameter.doc_name": ("Name as list_documents shows it", "文档名称，以 list_documents 为准"),
    "parameter.export_path": ("Absolute path of a new .db file", "新 .db 文件的绝对路径"),
    "parameter.source_db_path": ("Absolute path of a .db file", ".db 文件的绝对路径"),
    "resource.index.title": ("Knowledge bases", "知识库目录"),
    "resource.index": (
        "All knowledge bases and their documents, as JSON.",
        "全部知识库及其文档（JSON）。",
    ),
    "resource.document.title": ("Text of a document", "文档全文"),
    "resource.document": (
        "The whole text that was read from a document.",
        "从文档中读到的全部文字。",
    ),
    "prompt.title": ("Answer from the documents", "依据文档回答"),
    "prompt.description": (
        "Search the knowledge base, then answer with sources.",
        "检索知识库，再注明来源作答。",
    ),
    "prompt.question": ("What is to be answered", "要回答的问题"),
    "prompt.text": (
        "Answer the question below from the user's documents only. Call the tool search first, with other words again if the raw scores are low. After each statement name its source: the document, and its page or heading. If the passages do not answer the question, say so.\n\nQuestion: {question}",
        "请仅依据用户的文档回答下面的问题。先调用工具 search；如果原始分数很低，请换个说法再检索。每个论述后注明来源：文档名及页码或标题。如果检索到的段落不能回答问题，请直接说明。\n\n问题：{question}",
    ),
    "answer.cut": (
        "… [{left} more characters; the whole text is the resource {uri}]",
        "…［还有 {left} 个字符；全文见资源 {uri}］",
    ),
    "answer.fewer_chunks": (
        "{left} more chunks were left out to keep the answer short. Ask again with a smaller top_k or a narrower query.",
        "为控制长度，省略了 {left} 块。请减小 top_k 或缩小查询范围。",
    ),
    "answer.fewer_items": (
        "{name} shows the first {shown} of {total} to keep the answer short.",
        "为控制长度，{name} 只列出 {total} 项中的前 {shown} 项。",
    ),
    "answer.goes_on": (
        "{pending} files are still being worked on in the background. Call again with the same arguments to see them, or list_documents for their state.",
        "{pending} 个文件仍在后台处理。请用相同参数再次调用查看，或用 list_documents 查看状态。",
    ),
    "answer.still_embedding": (
        "The new chunks are found by keyword at once; vectors for {left} of them are still being made in the background.",
        "新的分块已可按关键词检索；其中 {left} 块的向量仍在后台生成。",
    ),
    "in_tool.unexpected": (
        "Something unexpected went wrong (incident {incident}); the server's log has the details. Try once more, then report it.",
        "出现意外错误（编号 {incident}），详情见服务器日志。请重试一次，仍失败请反馈。",
    ),
    "in_tool.UnknownTool": (
        "There is no tool '{name}'. Use one of these: {known}.",
        "没有工具“{name}”。可用的工具：{known}。",
    ),
    "in_tool.MissingArgument": (
        "{command} needs the argument {argument}. Call it again with {argument}.",
        "{command} 缺少参数 {argument}。请补上 {argument} 后再次调用。",
    ),
    "in_tool.InvalidEndpoint.key": (
        "The address '{endpoint}' carries a password or key, which would be stored and shown. Give the address without it, and the key as embedding_api_key.",
        "地址“{endpoint}”中带有密码或密钥，会被保存和显示。请给出不带密钥的地址，并用 embedding_api_key 提供密钥。",
    ),
    "in_tool.MissingEndpoint": (
        "The model '{model}' is not built in and needs an endpoint. Give its address as embedding_endpoint, or use the built-in builtin:use-m3.",
        "模型“{model}”不是内置模型，需要嵌入服务地址。请用 embedding_endpoint 给出地址，或使用内置的 builtin:use-m3。",
    ),
    "in_tool.MissingModel": (
        "No model was named for the embedding endpoint {endpoint}. Add embedding_model with the name that the service uses.",
        "没有为嵌入服务 {endpoint} 指定模型。请用 embedding_model 给出该服务所用的模型名称。",
    ),
    "in_tool.MissingKey": (
        "The environment variable {variable} is not set in the server. Ask the user to set it in the client's configuration of this server.",
        "服务器中未设置环境变量 {variable}。请让用户在客户端对本服务器的配置中设置它。",
    ),
    "in_tool.NoSuchBase.none": (
        "There is no knowledge base named '{name}', and no other. Call create_knowledge_base first.",
        "没有名为“{name}”的知识库，也没有其他知识库。请先调用 create_knowledge_base。",
    ),
    "in_tool.NoSuchDocument.none": (
        "'{kb_name}' holds no documents, so none is named '{name}'. Call import_document or import_folder first.",
        "“{kb_name}”中还没有文档，因此没有“{name}”。请先调用 import_document 或 import_folder。",
    ),
    "in_tool.NothingSelected": (
        "No knowledge base is selected. Give kb_name, or call select_knowledge_base. There are: {existing}.",
        "尚未选择知识库。请给出 kb_name，或调用 select_knowledge_base。现有知识库：{existing}。",
    ),
    "in_tool.NothingSelected.none": (
        "There is no knowledge base yet. Call create_knowledge_base, then select_knowledge_base.",
        "还没有知识库。请先调用 create_knowledge_base，再调用 select_knowledge_base。",
    ),
    "in_tool.BaseIsCurrent": (
        "'{name}' is the selected knowledge base and is not deleted. Call select_knowledge_base with another one first.",
        "“{name}”是当前选中的知识库，不能删除。请先调用 select_knowledge_base 选择另一个。",
    ),
    "in_tool.IsDirectory": (
        "'{path}' is a folder. Call import_folder with it.",
        "“{path}”是文件夹。请改用 import_folder。",
    ),
    "in_tool.NotADirectory": (
        "'{path}' is a file, not a folder. Call import_document with it.",
        "“{path}”是文件，不是文件夹。请改用 import_document。",
    ),
    "in_tool.EndpointUnreachable": (
        "The embedding endpoint {endpoint} does not answer ({reason}). Ask the user to check the address and the network, then import the files again.",
        "嵌入服务 {endpoint} 没有响应（{reason}）。请让用户检查地址和网络，然后重新导入这些文件。",
    ),
    "in_tool.EndpointRefused": (
        "The embedding endpoint {endpoint} refused the request with status {status}: {reason}. Ask the user to check the model name of this knowledge base.",
        "嵌入服务 {endpoint} 拒绝了请求（状态码 {status}）：{reason}。请让用户检查此知识库的模型名称。",
    ),
    "in_tool.EndpointRefused.key": (
        "The embedding endpoint {endpoint} does not accept the API key (status {status}): {reason}. Ask the user to set the right key for this knowledge base.",
        "嵌入服务 {endpoint} 不接受该 API 密钥（状态码 {status}）：{reason}。请让用户为此知识库设置正确的密钥。",
    ),
    "in_tool.EndpointRefused.address": (
        "There is no embedding service at {endpoint} (status {status}): {reason}. Ask the user to check the address and the model name of this knowledge base.",
        "{endpoint} 处没有嵌入服务（状态码 {status}）：{reason}。请让用户检查此知识库的地址和模型名称。",
    ),
    "in_tool.EndpointBusy": (
        "The embedding endpoint {endpoint} still answered {status} after {seconds} seconds. Wait a while, then import the files again.",
        "嵌入服务 {endpoint} 在 {seconds} 秒后仍返回 {status}。请稍候再重新导入这些文件。",
    ),
    "in_tool.WrongDimension": (
        "The model {model} gives vectors of {got} dimensions, the knowledge base holds {expected}. Ask the user to run `rag-server reembed_kb`, which changes the model of a knowledge base.",
        "模型 {model} 给出 {got} 维向量，而知识库中是 {expected} 维。请让用户运行 `rag-server reembed_kb` 更换知识库的模型。",
    ),
    "in_tool.NothingToExport": (
        "There is no database at '{path}' yet, so there is nothing to export. Call create_knowledge_base first.",
        "“{path}”处还没有数据库，没有可导出的内容。请先调用 create_knowledge_base。",
    ),
    "in_tool.SourceForeign": (
        "'{path}' is not a ragkb database ({detail}). Nothing was changed: give a kb.db, or a file that export_database made.",
        "“{path}”不是 ragkb 的数据库（{detail}）。未作任何修改：请给出 kb.db，或 export_database 生成的文件。",
    ),
    "in_tool.SourceDamaged": (
        "'{path}' is damaged ({detail}). Nothing was changed: ask the user to copy or export the file again.",
        "“{path}”已损坏（{detail}）。未作任何修改：请让用户重新复制或导出该文件。",
    ),
    "in_tool.SourceChanging": (
        "Another program keeps writing '{path}'. Nothing was changed: ask the user to close that program, then try again.",
        "另一个程序正在写入“{path}”。未作任何修改：请让用户关闭该程序后重试。",
    ),
    "in_tool.DatabaseDamaged": (
        "'{path}' is damaged ({detail}). Ask the user to run `rag-server doctor`, or to restore a copy from the folder `backups`.",
        "“{path}”已损坏（{detail}）。请让用户运行 `rag-server doctor`，或从 `backups` 文件夹恢复副本。",
    ),
    "in_tool.import.stored_only": (
        "The text of '{name}' is stored and found by keyword, but has no vectors: {reason}",
        "“{name}”的文字已保存，可按关键词找到，但没有向量：{reason}",
    ),
    "in_tool.note.empty_base": (
        "'{kb_name}' holds no documents yet. Call import_document or import_folder.",
        "“{kb_name}”中还没有文档。请调用 import_document 或 import_folder。",
    ),
    "in_tool.note.missing_vectors": (
        "{missing} of {total} chunks have no vector yet and are found by keyword only. Importing their files again makes them.",
        "{total} 块中有 {missing} 块还没有向量，只能按关键词找到。重新导入对应文件即可补齐。",
    ),
}
