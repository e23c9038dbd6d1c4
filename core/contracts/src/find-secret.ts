/** What kind of secret a text seems to hold, as a person would name it; undefined where it holds none. Never the secret itself. */
export function findSecret(text: string): string | undefined {
  return KINDS.find(({ pattern, isSecret }) =>
    [...text.matchAll(pattern)].some(([whole, value = whole]) => isSecret?.(value) ?? true),
  )?.name
}

interface Kind {
  readonly name: string
  /** Its first group, or all of it, is what `isSecret` looks at. */
  readonly pattern: RegExp
  readonly isSecret?: (value: string) => boolean
}

// Lengths are bounded, so that a long text costs no more than its length.
const KINDS: readonly Kind[] = [
  { name: 'a private key', pattern: /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g },
  { name: 'an Anthropic API key', pattern: /\bsk-ant-[\w-]{16,400}/g },
  { name: 'an OpenAI API key', pattern: /\bsk-(?:[a-z]{2,12}-)?([\w-]{20,400})/g, isSecret: isRandom },
  { name: 'a Stripe key', pattern: /\b[rs]k_(?:live|test)_([A-Za-z0-9]{16,250})/g, isSecret: isRandom },
  { name: 'a Google API key', pattern: /\bAIza[\w-]{35}(?![\w-])/g },
  { name: 'a GitHub token', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{40,255})\b/g },
  { name: 'a Hugging Face token', pattern: /\bhf_[A-Za-z0-9]{30,100}\b/g },
  { name: 'an npm token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { name: 'a GitLab token', pattern: /\bglpat-([\w-]{20,100})/g, isSecret: isRandom },
  { name: 'a Slack token', pattern: /\bxox[abeoprs]-([A-Za-z0-9-]{10,250})/g, isSecret: hasDigit },
  { name: 'an AWS access key', pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  {
    name: 'a JSON Web Token',
    pattern: /\beyJ[\w-]{8,2000}\.eyJ[\w-]{8,2000}\.[\w-]{8,2000}/g,
  },
  { name: 'a bearer token', pattern: /\bBearer[ :=]{1,4}([\w.~+/=-]{16,2000})/gi, isSecret: isRandom },
  {
    name: 'a password in a URL',
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,100}:([^\s/@]{3,200})@/gi,
    isSecret: (value) => !isPlaceholder(value),
  },
  {
    name: 'a key or password',
    pattern:
      /(?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|credential)[\w-]{0,20}["']?\s{0,4}[:=]\s{0,4}["']?([^\s"'`,;&<>()]{12,512})/gi,
    isSecret: isGiven,
  },
  // Words such as "key" mean a secret only where the text is nothing but a name and its value.
  {
    name: 'a key or password',
    pattern:
      /^(?:[\w.-]{0,80}[_.-])?(?:key|auth|pwd|pass|pat|bearer)(?:[_.-][\w.-]{0,20})?=["']?([^\s"']{16,512})["']?$/gi,
    isSecret: isGiven,
  },
  {
    name: 'a key or password',
    pattern: /^[a-z]\w{0,80}(?:Key|Auth|Pwd|Pass)=["']?([^\s"']{16,512})["']?$/g,
    isSecret: isGiven,
  },
]

/** A value itself, and not the name of a place where one is. */
function isGiven(value: string): boolean {
  return isRandom(value) && !isPath(value) && !isPlaceholder(value)
}

function hasDigit(text: string): boolean {
  return /\d/.test(text)
}

/** Letters and digits mixed as chance does it: words with hyphens, dates and versions are not. */
function isRandom(text: string): boolean {
  if (!/^[\w.~+/=-]+$/.test(text) || !hasDigit(text) || !/[a-z]/i.test(text)) return false
  const longest = Math.max(...text.split(/[._~+/=-]/).map((piece) => (hasDigit(piece) ? piece.length : 0)))
  return longest >= 8 && bitsPerCharacter(text) >= 2.8
}

const isPath = (text: string): boolean =>
  /^(?:\.{0,2}|~|[a-z]:)[/\\]/i.test(text) || /^[\w-]+(?:\/[\w.-]+)*\.[a-z]{1,5}$/i.test(text)

const isPlaceholder = (text: string): boolean => /^(?:[$%{*]|x+$|process\.env|os\.environ)/i.test(text)

function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((bits, count) => {
    const share = count / text.length
    return bits - share * Math.log2(share)
  }, 0)
}
