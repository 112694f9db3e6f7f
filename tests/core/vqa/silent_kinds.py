"""Every kind of reply in place of an answer, with the words that name its cause, for the tests of all doors.

The first group was reached and said nothing, so a person or three in a row decide; the second will not become
a reply by being asked for again, and the third may, and was tried.
"""

from core.vqa.mock.faults import Fault

SILENT = {
    Fault.EMPTY: "sent an empty reply",
    Fault.BLANK: "sent an empty reply",
    Fault.THINK_NULL: "used its 4000 tokens to think and gave no answer: raise questions of [max_tokens] in",
    Fault.THINK_EMPTY: "used its 4000 tokens to think and gave no answer",
    Fault.THINK_ONLY: "thought, and gave no answer: switch thinking off",
    Fault.THINK_OPEN: "thought, and gave no answer",
    Fault.LENGTH: "was cut off (its limit is 4000 tokens): raise questions of [max_tokens]",
    Fault.FILTER: "withheld its answer (finish_reason content_filter): a filter refused",
    Fault.FILTER_PART: "withheld its answer (finish_reason content_filter)",
    Fault.REFUSED: "refused to answer ('I cannot help with that.')",
    Fault.TOOL: "called a tool instead of answering",
    Fault.ABORT: "broke off (finish_reason abort)",
    Fault.REFUSAL: "what cannot be read as",
    Fault.COUNT: "what cannot be read as",
    Fault.UTF8: "what cannot be read as",
    Fault.MEGABYTES: "was cut off (its limit is 4000 tokens)",
}
LASTING = {
    Fault.HTML: "sent a web page in place of a reply ('Open WebUI'): check that http://",
    Fault.SSE: "sent a stream, which nobody asked for",
    Fault.ERROR_200: "reports an error (No models loaded.)",
    Fault.NO_IMAGE: "takes no pictures (HTTP 500: image input is not supported",
    Fault.NO_MODEL: "/v1/chat/completions (HTTP 404: model 'm' not found, try pulling it first)",
    Fault.NO_KEY: "refused the key (HTTP 401)",
    Fault.PARAMETER: "mend temperature in a copy of ",
    Fault.DETAIL: "mend max_tokens in a copy of ",
}
PASSING = {
    Fault.NO_CHOICE: "sent something that is not a reply",
    Fault.MALFORMED: "sent something that is not a reply",
    Fault.CUT: "cannot be reached, or hung up",
    Fault.BROKEN: "is busy or broken (HTTP 500: something broke)",
    Fault.BUSY: "is busy or broken (HTTP 429: too many requests)",
}
KINDS = SILENT | LASTING | PASSING
