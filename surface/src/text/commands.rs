//! The phrases by which a text commands a model, by kind, in several languages. Looking for them stands in `injection`.

pub(super) const OVERRIDE: &str = "it overrides what the model was told";
pub(super) const SECRECY: &str = "it hides something from the user";
pub(super) const HISTORY: &str = "it asks for the conversation";
pub(super) const STEERING: &str = "it steers the use of other tools";
/// No order by itself: a name may be that of a tool elsewhere, of a function, or a mistake.
pub(crate) const ADVICE: &str = "it tells when to use a tool that the server does not have";
/// Such words are nothing unless harm stands beside them.
pub(super) const IF_HARMFUL: &str = "";
pub(super) const CREDENTIALS: &str = "it asks for credentials";
pub(super) const MARKUP: &str = "it looks like the markup of a prompt";

/// The phrases, by kind. What describes rather than commands must not fit: this table is tested on both.
pub(super) const PHRASES: &[(&str, &str)] = &[
    (
        OVERRIDE,
        "ignore|disregard|forget|discard ~2 previous|prior|above|earlier|preceding ~2 instructions|instruction|rules|prompts|prompt|guidelines|directives|directions|guidance|constraints",
    ),
    (OVERRIDE, "ignore|disregard ~2 previous|prior|above|earlier|preceding ~2 messages|context"),
    (
        OVERRIDE,
        "forget|discard all|any|everything ~1 previous|prior|above|earlier|preceding ~1 messages|context",
    ),
    (
        OVERRIDE,
        "ignore|disregard|forget|bypass|override ~2 your|all|any|existing|other|safety|system|user's ~2 instructions|directives|guardrails|safeguards",
    ),
    (OVERRIDE, "ignore|disregard|forget everything|anything|all ~3 above|before|previously|told|said"),
    (
        OVERRIDE,
        "overrides|supersedes|override|supersede ~1 all|any|previous|prior|other ~2 instructions|directives",
    ),
    (OVERRIDE, "from now on ~1 you|always|never|ignore"),
    (OVERRIDE, "you are now ~3 mode|dan|unrestricted|jailbroken|root"),
    (
        SECRECY,
        "do|must|should|shall|please|can not ~1 tell|inform ?the user|human|person|anyone|anybody|users|operator|customer",
    ),
    (SECRECY, "never ~1 tell|inform ?the user|human|person|anyone|anybody|users|operator|customer"),
    (SECRECY, "without ~1 telling|informing|asking ?the user|human|person|anyone|operator|customer"),
    (
        SECRECY,
        "do|must|should|shall|can not ~1 mention|disclose|reveal|say|explain ~6 to ?the user|human|anyone|customer",
    ),
    (SECRECY, "never ~1 mention|disclose|reveal|say ~6 to ?the user|human|anyone|customer"),
    (SECRECY, "do|must|should|shall|can not ~1 mention|disclose this|that|these|it"),
    (SECRECY, "never ~1 mention|disclose this|that|these|it"),
    (SECRECY, "do|must|should not let ?the user|human|anyone ?ever know|see|notice|find"),
    (SECRECY, "never let ?the user|human|anyone ?ever know|see|notice|find"),
    (SECRECY, "hide|conceal this|that|it|these|them from ?the user|human|anyone"),
    (SECRECY, "keep this|it|that ~3 secret|hidden|confidential"),
    (SECRECY, "secretly ~1 send|forward|upload|include|copy|call|read|add|exfiltrate"),
    (
        HISTORY,
        "include|send|pass|provide|attach|append|put|paste|insert|forward|copy|submit|add|write ~3 full|entire|whole|complete|all|previous|verbatim ~3 conversation|chat|dialogue|message ~1 history|log|logs|transcript|context|messages|so",
    ),
    (
        HISTORY,
        "include|send|pass|attach|append|put|paste|forward|copy|submit|write ~2 everything ~1 ?the user ~1 said|wrote|typed|told",
    ),
    (
        HISTORY,
        "include|send|pass|provide|attach|print|repeat|output|reveal|dump|write|put|paste|leak ~2 your|full|entire|whole|complete|verbatim ~1 system prompt|message|instructions",
    ),
    (
        STEERING,
        "before ?you using|calling|use|call|invoking|invoke|running|run|executing ~1 any|all|every|other|another ~1 tool|tools|function|functions",
    ),
    (STEERING, "always|must ~1 call|use|invoke|run this|it ~3 before ~2 @"),
    (
        STEERING,
        "always|must ~1 call|use|invoke|run this|it ~3 before ~2 any|every|all|other|responding|answering ~2 ?tool|tools|call|question|request|anything",
    ),
    (
        STEERING,
        "instead of ~2 any|other|another|all|builtin|built|default|native|standard ~3 tool|tools|function|functions",
    ),
    (ADVICE, "instead of ?calling|using|invoking ~1 @ ~1 call|use|invoke|run"),
    (ADVICE, "instead of calling|using|invoking ~1 @"),
    (STEERING, "do|must|should not ~1 use|call|invoke|run ~1 other|another|any ~2 tool|tools"),
    (STEERING, "never ~1 use|call|invoke|run ~1 other|another|any ~2 tool|tools"),
    (STEERING, "do|must|should not|never ~1 use|call|invoke|run ?the @ ?tool anymore|again"),
    (STEERING, "do|must|should not|never ~1 use|call|invoke|run ?the @ ?tool any more|longer"),
    (ADVICE, "do|must|should not|never ~1 use|call|invoke|run ?the @"),
    (
        IF_HARMFUL,
        "when|whenever|after|before|if ~2 call|calling|use|using|invoke|invoking|running ?the @ ~8 must|always|also|never|first|bcc|cc",
    ),
    (IF_HARMFUL, "when|whenever|if ?the @ ?tool is|was|gets ~1 called|used|invoked"),
    (
        OVERRIDE,
        "ignore|disregard|forget|bypass|override|circumvent ~1 safety|ethical ~1 guidelines|guideline|policies|training",
    ),
    (OVERRIDE, "ignore|disregard|forget|bypass|override|circumvent your ~1 guidelines|training|programming"),
    (
        SECRECY,
        "assistant|model|agent|ai|llm|you must|should|shall|may ?always|also|then silently|secretly|quietly|covertly|discreetly forward|send|copy|upload|include|share|post|add|append|attach|record|log|call|run|execute|read|pass|transmit|report|bcc|cc",
    ),
    (
        HISTORY,
        "include|send|pass|forward|attach|copy|paste|put|share ~2 prior|previous|earlier|preceding|recent|past|last ~1 messages|turns of|from|in this|our ~1 chat|conversation|dialogue|session",
    ),
    // Against a tool of the same server more has to be said: that one tool comes before another is usual advice.
    (STEERING, "do|must|should not|never ~1 use|call|invoke ?the # ?tool any more|longer"),
    (STEERING, "do|must|should not|never ~1 use|call|invoke ?the # ?tool anymore"),
    (
        STEERING,
        "when|whenever|if|after|before ?the # ?tool is|was|gets ~1 called|used|invoked ~2 always|also|must ~1 bcc|cc|forward|upload|leak",
    ),
    (
        STEERING,
        "when|whenever|if|after|before ~1 calling|using|invoking|call|use ?the # ~3 always|also|must ~1 bcc|cc|forward|upload|leak",
    ),
    // Names of tools that no one here has, however they are written. Advice on code speaks of functions much like this, so more has to be said.
    (STEERING, "always|must ~1 call|use|invoke|run this|it ~3 before ~2 $"),
    (ADVICE, "always|must ~1 call|use|invoke|run ?the $ ?tool first|instead"),
    (ADVICE, "before ~1 using|calling|invoking|running ?the $ ?tool ~2 call|use|invoke|run this|it"),
    (ADVICE, "instead of ?calling|using|invoking|running ?the $ ?tool ~1 call|use|invoke|run this|it"),
    (
        IF_HARMFUL,
        "when|whenever|after|before|if ~2 calling|using|invoking|running|call|use|invoke ?the $ ?tool ~3 always|also|must ~1 bcc|cc|forward|upload|send|leak|call|invoke",
    ),
    (IF_HARMFUL, "when|whenever|if the $ tool is|was|gets ~1 called|used|invoked"),
    (IF_HARMFUL, "when|whenever $ is|was|gets ~1 called|used|invoked"),
    (ADVICE, "do|must|should not ~1 use|call|invoke|run the $ tool"),
    (ADVICE, "never ~1 use|call|invoke|run the $ tool"),
    (ADVICE, "use this|it ?tool ~1 and|but not $"),
    (IF_HARMFUL, "the $ tool must|shall|should ~1 set|add|include|bcc|cc|forward|send|upload|append|pass"),
    (IF_HARMFUL, "$ must|shall|should|always ~1 set|add|include|bcc|cc|forward|send|upload|append|pass"),
    (IF_HARMFUL, "every time ?the $ ?tool runs|is|was|gets"),
    (IF_HARMFUL, "overrides|override|replaces|supersedes ?the $"),
    (IF_HARMFUL, "use|call|invoke|run ?the $ ?tool only|always with"),
    (STEERING, "the # ?tool must|shall|should|always ~1 bcc|forward|upload|leak"),
    (STEERING, "the # ?tool must|shall|should|always ~1 set|add|include ~2 bcc|cc"),
    (
        SECRECY,
        "silently|covertly|quietly|discreetly|invisibly ~1 send|forward|upload|share|post|email|bcc|transmit ~2 copy|copies|every|each|everything",
    ),
    (
        SECRECY,
        "silently|covertly|quietly|discreetly|invisibly ~1 send|forward|upload|share|copy|put|include|pass|append ?the ?user's ?whole|entire|full conversation|chat|password|passwords|credentials",
    ),
    (
        CREDENTIALS,
        "pass|include|send|put|provide|attach|append|paste|forward|upload|copy ~1 user's|users ~2 key|keys|token|tokens|password|passwords|credentials|cookie|cookies|secrets ~1 in|as|into|within|inside ~2 query|note|notes|sidenote|comment|comments|context|description|title|reason|summary|metadata|prompt",
    ),
    // Names of parameters, which are read without their underscores.
    (
        CREDENTIALS,
        "content|contents|output|result|data|text ?from|of reading|read ~5 rsa|ed25519|passwd|shadow|mcp|credentials|env|secrets|key|keys|token|password|passwords",
    ),
    (CREDENTIALS, "content|contents ~3 id rsa|ed25519|dsa"),
    // The two commonest orders in other languages, without accents. What may as well say what a tool does is left out.
    (
        OVERRIDE,
        "ignoriere|ignorieren|missachte|missachten|vergiss|vergessen ~2 vorherigen|vorherige|bisherigen|vorigen|fruheren|vorangegangenen|vorangehenden|obigen ~1 anweisungen|instruktionen|befehle|vorgaben",
    ),
    (
        SECRECY,
        "sage|sag|erzahle|erzahl|verrate|informiere ~1 dem|den|der benutzer|nutzer|anwender|benutzerin ~2 nicht|nichts",
    ),
    (
        SECRECY,
        "sagen|verraten|informieren|erzahlen sie dem|den|der benutzer|nutzer|anwender|benutzerin ~2 nicht|nichts",
    ),
    (
        OVERRIDE,
        "ignore|ignorez|oublie|oubliez ~2 instructions|consignes|directives ~1 precedentes|anterieures",
    ),
    (SECRECY, "ne dis|dites|revelez ~1 pas|rien|jamais ~3 utilisateur|l'utilisateur|utilisateurs"),
    (OVERRIDE, "ignora|ignore|ignorar|ignorad|olvida|olvide ~2 instrucciones|ordenes ~1 anteriores|previas"),
    (SECRECY, "no ?le|lo|se digas|diga|informes|informe|cuentes|menciones|reveles ~3 usuario|usuarios"),
    (OVERRIDE, "ignora|ignorate|ignorare|dimentica ~2 istruzioni ~1 precedenti|anteriori"),
    (OVERRIDE, "ignora|ignorate|ignorare|dimentica ~2 precedenti istruzioni"),
    (SECRECY, "non dire|dirlo|rivelare|menzionare|raccontare ~2 all'utente|l'utente|utente"),
    (OVERRIDE, "ignore|ignora|ignorar|esqueca ~2 instrucoes|ordens ~1 anteriores|previas"),
    (SECRECY, "nao diga|conte|informe|mencione|revele ~3 usuario|utilizador"),
    (
        OVERRIDE,
        "игнорируй|игнорируйте|забудь|забудьте ~2 предыдущие|прошлые|прежние|предшествующие ~1 инструкции|указания|команды",
    ),
    (SECRECY, "не говори|говорите|сообщай|сообщайте|рассказывай|рассказывайте ~2 пользователю"),
];

/// A phrase of a language that does not part its words: its pieces, each of several, in this order and close together.
pub(super) const JOINED: &[(&str, &[&[&str]])] = &[
    (
        OVERRIDE,
        &[
            &["忽略", "忽視", "忽视", "無視", "无视"],
            &["之前", "以前", "先前", "以上", "上述", "前面", "此前"],
            &["指令", "指示", "命令", "提示詞", "提示词"],
        ],
    ),
    (
        SECRECY,
        &[
            &["不要", "别", "別", "勿", "不得", "不能"],
            &["告诉", "告訴", "告知", "透露给", "让", "讓"],
            &["用户", "用戶", "使用者"],
        ],
    ),
    (
        OVERRIDE,
        &[
            &["以前の", "これまでの", "今までの", "前の", "上記の", "先の"],
            &["指示", "命令", "指令", "プロンプト"],
            &["無視し", "無視せよ", "忘れ"],
        ],
    ),
    (
        SECRECY,
        &[
            &["ユーザー", "ユーザ", "利用者"],
            &["言わない", "伝えない", "知らせない", "教えない", "話さない", "言うな", "教えるな"],
        ],
    ),
];
