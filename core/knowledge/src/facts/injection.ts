/**
 * What speaks to a model rather than of a person. A text that speaks so is data all the same wherever it is quoted; as a
 * fact it would be repeated as true.
 */
export function injectionIn(text: string): string | undefined {
  const plain = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
  return INJECTIONS.find(({ pattern }) => pattern.test(plain))?.what
}

const INJECTIONS: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  {
    what: 'tells a model to set its instructions aside',
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules?|guidelines?|policy|policies|directives?)\b/i,
  },
  {
    what: 'tells a model to set its instructions aside',
    pattern:
      /\b(?:ignoriere?|vergiss|missachte)\b.{0,40}\b(?:anweisung(?:en)?|regeln|vorgaben|instruktionen)\b/i,
  },
  {
    what: 'speaks of a system prompt',
    pattern: /\b(?:system|developer|hidden|initial) (?:prompt|message|instructions?)\b/i,
  },
  {
    what: 'gives a model a new part to play',
    pattern:
      /\byou are (?:now|no longer)\b|\b(?:act|behave|respond|answer) as (?:if you|an? (?:ai|assistant|model|admin|system))\b|\b(?:jailbreak|developer mode|do anything now)\b/i,
  },
  {
    what: 'addresses a model',
    pattern:
      /\b(?:as an? (?:ai|language model)|(?:dear|attention|hey|note to(?: the)?) (?:ai|assistant|chatbot|language model|llm|model)|(?:the )?(?:ai|assistant|chatbot|language model|llm) (?:must|should|shall|has to|will now))\b/i,
  },
  {
    what: 'tells a model what to reveal or to whom to send it',
    pattern:
      /\b(?:reveal|print|repeat|output|leak|exfiltrate|send|forward)\b.{0,40}\b(?:system prompt|instructions|api keys?|passwords?|secrets?|credentials|all (?:messages|sources|data))\b/i,
  },
  {
    what: 'looks like a call of a tool',
    pattern:
      /<\/?(?:tool|function|invoke|system|assistant|user|instructions?)(?![a-z])[^>]{0,80}>|<\|[a-z_]{2,30}\|>|\[\/?(?:INST|SYS|TOOL_CALLS?)\]|"(?:tool_calls?|function_call|tool_use)"\s*:|\b(?:call|invoke|run|use) the \w+ (?:tool|function)\b/i,
  },
  {
    what: 'bears the marks of a fence',
    pattern: /\[(?:end of )?data\b.{0,60}\]|```\s*(?:system|tool|assistant)|^#{2,}\s*(?:system|instruction)/i,
  },
  {
    what: 'holds a long run of encoded characters',
    pattern: /[A-Za-z0-9+/_-]{80,}={0,2}|(?:\\x[0-9a-f]{2}){12,}|(?:%[0-9a-f]{2}){12,}/i,
  },
]
