"""What `--help` says: each command, its example, each argument."""

TEXTS: dict[str, tuple[str, str]] = {
    "help.all": (
        'A knowledge base in one file: give it documents, ask it questions.\n\nUsage: rag-server COMMAND [--json]\n\nCommands:\n{commands}\n\n`rag-server COMMAND --help` explains a command, `rag-server --version` prints the version.\n`--json` prints one JSON object with success, message and data.\nExit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 partly done.\n\nFirst steps:\n  rag-server create_kb --kb_name notes --chunk_size 512\n  rag-server select_kb --kb_name notes\n  rag-server import_doc --file_paths report.pdf manual.docx\n  rag-server search --query "how long is the warranty"',
        '一个文件里的知识库：给它文档，向它提问。\n\n用法：rag-server 命令 [--json]\n\n命令：\n{commands}\n\n`rag-server 命令 --help` 说明单个命令，`rag-server --version` 显示版本。\n`--json` 输出一个 JSON 对象，含 success、message 和 data。\n退出码：0 完成，1 被拒绝或失败，2 用法错误，3 部分完成。\n\n开始使用：\n  rag-server create_kb --kb_name 笔记 --chunk_size 512\n  rag-server select_kb --kb_name 笔记\n  rag-server import_doc --file_paths 报告.pdf 手册.docx\n  rag-server search --query "保修期多长"',
    ),
    "help.command": (
        "{summary}\n\nUsage: {usage}\n\nArguments:\n{arguments}\n\nExample:\n  {example}",
        "{summary}\n\n用法：{usage}\n\n参数：\n{arguments}\n\n示例：\n  {example}",
    ),
    "command.create_kb": ("Create a knowledge base.", "新建知识库。"),
    "command.list_kb": ("List all knowledge bases.", "列出全部知识库。"),
    "command.select_kb": (
        "Select the knowledge base that other commands work in.",
        "选择其他命令默认使用的知识库。",
    ),
    "command.config_kb": (
        "Change the key, address or model name of a knowledge base's embedding service.",
        "更改知识库嵌入服务的密钥、地址或模型名称。",
    ),
    "command.reembed_kb": (
        "Give a knowledge base another embedding model; it goes on answering meanwhile. Run it again to go on.",
        "为知识库更换嵌入模型，期间仍可搜索；再次运行可继续。",
    ),
    "command.delete_kb": (
        "Delete a knowledge base with all its documents.",
        "删除知识库及其全部文档。",
    ),
    "command.import_doc": (
        "Import documents: PDF, DOCX, DOC, TXT, Markdown, HTML, RTF, CSV, XLSX, PPTX.",
        "导入文档：PDF、DOCX、DOC、TXT、Markdown、HTML、RTF、CSV、XLSX、PPTX。",
    ),
    "command.import_dir": (
        "Import a folder with its subfolders; run it again to bring in changes.",
        "导入文件夹及其子文件夹；再次运行即可同步更改。",
    ),
    "command.embed": (
        "Make the vectors that are still missing.",
        "补齐尚缺的向量。",
    ),
    "command.list_doc": ("List the documents of a knowledge base.", "列出知识库中的文档。"),
    "command.show_doc": (
        "Print the text that was read from a document.",
        "显示从文档中读到的文字。",
    ),
    "command.update_doc": (
        "Split a document anew with another chunk size; the file is not needed.",
        "按新的分块大小重新切分文档；不需要原文件。",
    ),
    "command.delete_doc": ("Delete a document.", "删除文档。"),
    "command.search": (
        "Find the passages that answer a question, by keyword and by meaning.",
        "按关键词和语义查找能回答问题的段落。",
    ),
    "command.export_db": (
        "Write all knowledge bases to one file, without API keys.",
        "把全部知识库写入一个文件，不含 API 密钥。",
    ),
    "command.import_db": (
        "Take in all knowledge bases of another kb.db or exported file, vectors included.",
        "并入另一个 kb.db 或导出文件中的全部知识库，包括向量。",
    ),
    "command.db verify": (
        "Prove that an exported file holds what it was made with.",
        "核对导出的文件内容是否与导出时一致。",
    ),
    "command.db upgrade": (
        "Bring a database file to this version of ragkb; any command does that to the one in use.",
        "把数据库文件升级到此版本的 ragkb；任何命令都会自动升级正在使用的数据库。",
    ),
    "command.doctor": (
        "Check the installation, the database and every knowledge base, and repair what can be.",
        "检查安装环境、数据库和每个知识库，并修复可修复的问题。",
    ),
    "command.demo": (
        "Try everything on sample documents; nothing is kept.",
        "用示例文档试用全部功能；不保留任何数据。",
    ),
    "command.mcp": (
        "Serve AI clients over MCP: on standard input and output, or with --http over HTTP.",
        "通过 MCP 为 AI 客户端提供服务：使用标准输入输出，或用 --http 通过 HTTP。",
    ),
    "command.setup": (
        "Show what an AI client needs to know to start the server, or write it into its settings.",
        "显示 AI 客户端启动本服务器所需的配置，或将其写入客户端设置。",
    ),
    "argument.http": ("serve over streamable HTTP instead", "改用 HTTP（streamable HTTP）提供服务"),
    "argument.host": (
        "the address to listen on; by default 127.0.0.1, which only this machine reaches",
        "监听地址；默认 127.0.0.1，仅本机可访问",
    ),
    "argument.port": ("the port; by default 8765", "端口；默认 8765"),
    "argument.token-env": (
        "environment variable that holds the token which clients must send",
        "保存令牌的环境变量名；客户端必须发送该令牌",
    ),
    "argument.client": (
        "claude-desktop, claude-code, cursor, vscode, cherry-studio or dify",
        "claude-desktop、claude-code、cursor、vscode、cherry-studio 或 dify",
    ),
    "argument.write": (
        "write it into the client's file, after a copy of the old one",
        "写入客户端的配置文件，并先备份旧文件",
    ),
    "example.mcp": (
        "rag-server mcp --http --port 8765",
        "rag-server mcp --http --port 8765",
    ),
    "example.setup": ("rag-server setup cursor --write", "rag-server setup cursor --write"),
    "argument.kb_name": (
        "name of the knowledge base (1 to 200 characters, case matters); by default the selected one",
        "知识库名称（1 至 200 个字符，区分大小写）；默认为当前选中的知识库",
    ),
    "argument.chunk_size": (
        "most tokens in a chunk, 1 to 32768; 256 to 512 suits most documents",
        "每块的最大 token 数，1 至 32768；多数文档适合 256 至 512",
    ),
    "argument.embedding_model": (
        "builtin:use-m3 (the default, works offline), or the model's name at the endpoint",
        "builtin:use-m3（默认，离线可用），或嵌入服务中的模型名称",
    ),
    "argument.embedding_endpoint": (
        "base address of an OpenAI-compatible embedding service",
        "兼容 OpenAI 的嵌入服务的基础地址",
    ),
    "argument.embedding_api_key": (
        "the key, `env:NAME` for an environment variable, or `-` to read it from standard input",
        "密钥本身，或 `env:变量名` 表示环境变量，或 `-` 表示从标准输入读取",
    ),
    "argument.rollback": (
        "return to the model before the last change",
        "退回上一次更换之前的模型",
    ),
    "argument.drop-old": (
        "settle the last change: delete the old model's vectors",
        "确认上一次更换：删除旧模型的向量",
    ),
    "argument.file_paths": ("one or more files", "一个或多个文件"),
    "argument.path": ("the folder", "文件夹"),
    "argument.include": (
        'only files that match this pattern, such as "*.pdf" or "2024/*"',
        '只导入匹配此模式的文件，例如 "*.pdf" 或 "2024/*"',
    ),
    "argument.prune": (
        "also delete documents whose file has vanished from the folder",
        "同时删除文件夹中已不存在的文件所对应的文档",
    ),
    "argument.doc_name": (
        "name of the document, as list_doc shows it",
        "文档名称，以 list_doc 显示的为准",
    ),
    "argument.query": ("a question, a few words, or a part number", "问题、几个词，或一个编号"),
    "argument.top_k": (
        "how many passages to show, 1 to 100; 5 by default",
        "显示的段落数，1 至 100；默认 5",
    ),
    "argument.export_path": (
        "the file to write, in a folder that exists",
        "要写入的文件，其文件夹须已存在",
    ),
    "argument.force": ("replace the file if it exists", "文件已存在时替换它"),
    "argument.source_db_path": (
        "the kb.db or exported file to take in; it is only read",
        "要并入的 kb.db 或导出文件；只读取，不改动",
    ),
    "argument.dry-run": (
        "only say what would happen",
        "只说明将会发生什么",
    ),
    "argument.file": ("a file that export_db made", "export_db 导出的文件"),
    "argument.database": (
        "a database file; by default the one in use",
        "数据库文件；默认为正在使用的那个",
    ),
    "argument.fix": (
        "repair what can be repaired without guessing, and give free space back",
        "修复无需猜测即可修复的问题，并回收空闲空间",
    ),
    "argument.json": (
        "print one JSON object instead of text",
        "输出一个 JSON 对象，而不是文字",
    ),
    "argument.help": ("show this page", "显示本页"),
    "example.create_kb": (
        "rag-server create_kb --kb_name notes --chunk_size 512",
        "rag-server create_kb --kb_name 笔记 --chunk_size 512",
    ),
    "example.list_kb": ("rag-server list_kb", "rag-server list_kb"),
    "example.select_kb": (
        "rag-server select_kb --kb_name notes",
        "rag-server select_kb --kb_name 笔记",
    ),
    "example.config_kb": (
        "rag-server config_kb --kb_name notes --embedding_api_key env:RAGKB_MY_KEY",
        "rag-server config_kb --kb_name 笔记 --embedding_api_key env:RAGKB_MY_KEY",
    ),
    "example.reembed_kb": (
        "rag-server reembed_kb --kb_name notes --embedding_model builtin:use-m3",
        "rag-server reembed_kb --kb_name 笔记 --embedding_model builtin:use-m3",
    ),
    "example.delete_kb": (
        "rag-server delete_kb --kb_name notes",
        "rag-server delete_kb --kb_name 笔记",
    ),
    "example.import_doc": (
        "rag-server import_doc --file_paths report.pdf manual.docx",
        "rag-server import_doc --file_paths 报告.pdf 手册.docx",
    ),
    "example.import_dir": (
        'rag-server import_dir --path Documents --include "*.pdf"',
        'rag-server import_dir --path 文档 --include "*.pdf"',
    ),
    "example.embed": ("rag-server embed --kb_name notes", "rag-server embed --kb_name 笔记"),
    "example.list_doc": ("rag-server list_doc", "rag-server list_doc"),
    "example.show_doc": (
        "rag-server show_doc --doc_name report.pdf",
        "rag-server show_doc --doc_name 报告.pdf",
    ),
    "example.update_doc": (
        "rag-server update_doc --doc_name report.pdf --chunk_size 256",
        "rag-server update_doc --doc_name 报告.pdf --chunk_size 256",
    ),
    "example.delete_doc": (
        "rag-server delete_doc --doc_name report.pdf",
        "rag-server delete_doc --doc_name 报告.pdf",
    ),
    "example.search": (
        'rag-server search --query "how long is the warranty" --top_k 3',
        'rag-server search --query "保修期多长" --top_k 3',
    ),
    "example.export_db": (
        "rag-server export_db --export_path backup.db",
        "rag-server export_db --export_path 备份.db",
    ),
    "example.import_db": (
        "rag-server import_db --source_db_path backup.db --dry-run",
        "rag-server import_db --source_db_path 备份.db --dry-run",
    ),
    "example.db verify": (
        "rag-server db verify backup.db",
        "rag-server db verify 备份.db",
    ),
    "example.db upgrade": (
        "rag-server db upgrade --dry-run",
        "rag-server db upgrade --dry-run",
    ),
    "example.doctor": ("rag-server doctor --fix", "rag-server doctor --fix"),
    "example.demo": ("rag-server demo", "rag-server demo"),
}
