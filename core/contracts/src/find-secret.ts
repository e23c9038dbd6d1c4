/** Names the kind of secret in a text; undefined if it has none. Never returns the secret itself. */
export function findSecret(text: string): string | undefined {
  if (text.length < SHORTEST_SECRET) return undefined
  return SECRET_KINDS.find(
    ({ pattern, isSecret = () => true }) =>
      // Several times faster for most texts, which hold no secret.
      text.search(pattern) !== -1 &&
      [...text.matchAll(pattern)].some(([whole, value = whole]) => isSecret(value)),
  )?.name
}

/** The length of "pwd=1234". */
const SHORTEST_SECRET = 8

interface FoundSecret {
  readonly path: readonly PropertyKey[]
  readonly kind: string
}

/** Finds secrets in the texts and keys of a value, at any depth. A text is also checked together with its key. */
export function findSecretsIn(
  value: unknown,
  path: readonly PropertyKey[] = [],
  name = path.at(-1),
): readonly FoundSecret[] {
  if (typeof value === 'string') {
    const named = typeof name === 'string' ? `${name}=${value.slice(0, MAX_NAMED_LENGTH)}` : ''
    const kind = findSecret(value) ?? findSecret(named)
    return kind === undefined ? [] : [{ path, kind }]
  }
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) {
    return value.flatMap((inner, index) =>
      findSecretsIn(
        inner,
        [...path, index],
        readFlagName(inner) === undefined ? readFlagName(value[index - 1]) : undefined,
      ),
    )
  }
  return Object.entries(value).flatMap(([key, inner]) => {
    const kind = findSecret(key)
    return kind === undefined ? findSecretsIn(inner, [...path, key]) : [{ path: [...path, key], kind }]
  })
}

/** The name of an option such as `--api-key`, whose value is the next entry of a list. */
const readFlagName = (entry: unknown): string | undefined =>
  typeof entry === 'string' ? /^--?([a-z][\w.-]{1,80})$/i.exec(entry)?.[1] : undefined

/** Longer than any value that the patterns recognise by its name. */
const MAX_NAMED_LENGTH = 600

/** Formats a path such as `mcp_servers[0].env.TOKEN`. A key that looks like a secret is not repeated. */
export const writePath = (path: readonly PropertyKey[]): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${writeName(String(key))}`))
    .join('')
    .replace(/^\./, '')

function writeName(key: string): string {
  if (findSecret(key) !== undefined) return '(a key that looks like a secret)'
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key)
}

interface SecretKind {
  readonly name: string
  /** `isSecret` checks its first group, or the whole match. */
  readonly pattern: RegExp
  readonly isSecret?: (value: string) => boolean
}

// Lengths are bounded, so the time grows linearly with the text.
const SECRET_KINDS: readonly SecretKind[] = [
  { name: 'a private key', pattern: /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g },
  { name: 'a private key', pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{40,80}\b/g },

  // Recognised by the prefixes of each service's keys.
  { name: 'an Anthropic API key', pattern: /\bsk-ant-[\w-]{16,400}/g },
  { name: 'an OpenAI API key', pattern: /\bsk-(?:[a-z]{2,12}-)?([\w-]{20,400})/g, isSecret: isRandom },
  { name: 'a Stripe key', pattern: /\b[rs]k_(?:live|test)_([A-Za-z0-9]{16,250})/g, isSecret: isRandom },
  { name: 'an ElevenLabs API key', pattern: /\bsk_([A-Za-z0-9]{24,100})\b/g, isSecret: isRandom },
  { name: 'a Groq API key', pattern: /\bgsk_[A-Za-z0-9]{40,100}\b/g },
  { name: 'an xAI API key', pattern: /\bxai-([A-Za-z0-9]{40,120})\b/g, isSecret: isRandom },
  { name: 'a Perplexity API key', pattern: /\bpplx-([A-Za-z0-9]{32,100})\b/g, isSecret: isRandom },
  { name: 'a Replicate token', pattern: /\br8_([A-Za-z0-9]{30,60})\b/g, isSecret: isRandom },
  { name: 'a Hugging Face token', pattern: /\bhf_[A-Za-z0-9]{30,100}\b/g },
  { name: 'a Google API key', pattern: /\bAIza[\w-]{35}(?![\w-])/g },
  { name: 'a Google token', pattern: /\b(?:GOCSPX-[\w-]{28}|ya29\.[\w-]{30,400})/g },
  {
    name: 'a GitHub token',
    pattern: /\b(?:gh[pousr]_\w{30,255}|ghs_\d{1,20}_[\w.-]{40,2000}|github_pat_\w{40,255})\b/g,
  },
  { name: 'a GitLab token', pattern: /\bgl(?:pat|rt|dt|ptt)-([\w-]{20,128})/g, isSecret: isRandom },
  { name: 'an npm token', pattern: /\bnpm_\w{36}\b/g, isSecret: hasDigit },
  { name: 'an npm token', pattern: /:_authToken=([\w-]{20,200})/g },
  { name: 'a PyPI token', pattern: /\bpypi-[\w-]{50,400}/g },
  { name: 'a Slack token', pattern: /\bxox[abeoprs]-([A-Za-z0-9-]{10,250})/g, isSecret: hasDigit },
  { name: 'a Slack token', pattern: /\bxapp-(\d-[A-Za-z0-9-]{10,250})/g },
  { name: 'a Slack webhook', pattern: /\bhooks\.slack\.com\/services\/T\w{6,20}\/B\w{6,20}\/\w{16,40}/g },
  { name: 'a Telegram bot token', pattern: /\b\d{6,12}:AA[\w-]{32,34}(?![\w-])/g },
  {
    name: 'a Discord bot token',
    pattern: /\b([MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40})(?![\w-])/g,
    isSecret: isRandom,
  },
  { name: 'a SendGrid key', pattern: /\bSG\.([\w-]{10,128}\.[\w-]{16,128})/g, isSecret: isRandom },
  { name: 'a Twilio key', pattern: /\bSK[0-9a-f]{32}\b/g },
  { name: 'a Mailgun key', pattern: /\bkey-[0-9a-f]{32}\b/g },
  { name: 'an AWS access key', pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  {
    name: 'an AWS secret key',
    pattern:
      /(?:aws|amazon)\w{0,20}(?:secret|key)\w{0,20}["']?\s{0,4}(?:=>|[:=])\s{0,4}["']?([A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])/gi,
    isSecret: (value) => calculateEntropy(value) >= 2.8,
  },
  { name: 'an Azure key', pattern: /\b(?:Account|SharedAccess)Key=[A-Za-z0-9+/]{40,100}={0,2}/g },
  { name: 'an Azure key', pattern: /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/g },
  { name: 'an Azure key', pattern: /[?&]sig=[\w%+/-]{40,100}/g },
  {
    name: 'an Azure key',
    pattern:
      /(?:azure|ocp-apim)[\w-]{0,40}key["']?\s{0,4}[:=]\s{0,4}["']?(?:[0-9a-f]{32}|[A-Za-z0-9]{84})\b/gi,
  },
  { name: 'a Databricks token', pattern: /\bdapi[A-Fa-f0-9]{32}\b/g },
  { name: 'a DigitalOcean token', pattern: /\bdo[opr]_v1_[0-9a-f]{64}\b/g },
  { name: 'a Docker token', pattern: /\bdckr_(?:pat|oat)_[\w-]{27,40}/g },
  { name: 'a Figma token', pattern: /\bfig[dou]r?_([\w-]{40,200})/g, isSecret: isRandom },
  { name: 'a Cloudflare token', pattern: /\bcf(?:k|ut|at)_([A-Za-z0-9]{48})\b/g, isSecret: isRandom },
  { name: 'a Tailscale key', pattern: /\btskey-[a-z]{2,20}-(\w{8,40}-\w{16,60})\b/g },
  { name: 'a Vercel token', pattern: /\bvc[piark]_([A-Za-z0-9]{20,60})\b/g, isSecret: isRandom },
  { name: 'a Vault token', pattern: /\bhv[sbr]\.([\w-]{24,300})/g, isSecret: isRandom },
  { name: 'a Grafana token', pattern: /\bgl(?:c_[A-Za-z0-9+/]{32,400}|sa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})/g },
  { name: 'a Shopify token', pattern: /\bshp(?:pa|ca|at|ss)_[A-Za-z0-9]{32,64}\b/g },
  { name: 'a Notion token', pattern: /\bntn_[0-9]{11}[A-Za-z0-9]{35}\b/g },
  { name: 'a Linear key', pattern: /\blin_(?:api|oauth)_(\w{32,128})\b/g, isSecret: isRandom },
  { name: 'a 1Password token', pattern: /\bops_ey[A-Za-z0-9+/=_-]{100,1300}/g },
  { name: 'a Doppler token', pattern: /\bdp\.(?:pt|st|ct|sa)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}\b/g },
  { name: 'a Postman key', pattern: /\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b/g },
  { name: 'an Atlassian token', pattern: /\bATATT3[\w=-]{100,300}/g },
  { name: 'a Supabase key', pattern: /\bsb(?:p_[0-9a-f]{40}|_secret_[\w-]{20,60})/g },
  { name: 'a Sentry token', pattern: /\bsntry[su]_[\w+/=-]{60,400}/g },
  { name: 'a Tavily key', pattern: /\btvly-(?:dev-|prod-)?([A-Za-z0-9]{20,60})\b/g, isSecret: isRandom },

  { name: 'a JSON Web Token', pattern: /(?<![\w-])eyJ[\w-]{8,2000}\.eyJ[\w-]{8,2000}\.[\w-]{8,2000}/g },
  { name: 'a bearer token', pattern: /\bBearer[ :=]{1,4}([\w.~+/=-]{16,2000})/gi, isSecret: isRandom },
  {
    name: 'a password in a URL',
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,100}:([^\s/@]{3,200})@/gi,
    isSecret: (value) => !isPlaceholder(value),
  },

  // Recognised by the name before the value.
  {
    name: 'a key or password',
    pattern:
      /(?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|credential)[\w-]{0,20}["']?\s{0,4}[:=]\s{0,4}["']?([^\s"'`,;&<>()]{12,512})/gi,
    isSecret: isLiteralValue,
  },
  {
    name: 'a password',
    pattern: /(?:password|passwd|passphrase|(?<![a-z])pwd)=["']?([^\s"'`,;&<>(){}[\]]{6,512})/gi,
    isSecret: (value) => /[a-z]/i.test(value) && /[\d!@#$%^*+?~]/.test(value) && !isExample(value),
  },
  // Environment variables with such names always hold passwords.
  {
    name: 'a password',
    pattern: /\b[A-Z][A-Z0-9_]{0,60}(?:PASSWORD|PASSWD|PASSPHRASE|_PWD)=["']?([^\s"'`,;&<>(){}[\]]{4,512})/g,
    isSecret: (value) => !isExample(value),
  },
  // These words mean a secret only if the text is just a name and its value.
  {
    name: 'a password',
    pattern: /^(?:[\w.-]{0,80}[_.-])?(?:password|passwd|passphrase|pwd)=["']?([^\s"']{4,512})["']?$/gi,
    isSecret: (value) => !isExample(value),
  },
  {
    name: 'a key or password',
    pattern:
      /^(?:[\w.-]{0,80}[_.-])?(?:key|auth|pwd|pass|pat|bearer)(?:[_.-][\w.-]{0,20})?=["']?([^\s"']{16,512})["']?$/gi,
    isSecret: isLiteralValue,
  },
  {
    name: 'a key or password',
    pattern: /^[a-z]\w{0,80}(?:Key|Auth|Pwd|Pass)=["']?([^\s"']{16,512})["']?$/g,
    isSecret: isLiteralValue,
  },
]

/** The value itself, not a path or a placeholder. */
function isLiteralValue(value: string): boolean {
  return isRandom(value) && !isPath(value) && !isPlaceholder(value)
}

function hasDigit(text: string): boolean {
  return /\d/.test(text)
}

/** Letters and digits mixed at random, unlike hyphenated words, dates and versions. */
function isRandom(text: string): boolean {
  if (!/^[\w.~+/=-]+$/.test(text) || !hasDigit(text) || !/[a-z]/i.test(text)) return false
  const longest = Math.max(...text.split(/[._~+/=-]/).map((piece) => (hasDigit(piece) ? piece.length : 0)))
  return longest >= 8 && calculateEntropy(text) >= 2.8
}

const isPath = (text: string): boolean =>
  /^(?:\.{0,2}|~|[a-z]:)[/\\]/i.test(text) || /^[\w-]+(?:\/[\w.-]+)*\.[a-z]{1,5}$/i.test(text)

const isPlaceholder = (text: string): boolean => /^(?:[$%{*]|x+$|process\.env|os\.environ)/i.test(text)

/** No real password: a variable name, a word such as "example", or code that reads it. */
const isExample = (text: string): boolean =>
  isPlaceholder(text) ||
  isPath(text) ||
  /^(?:[:?@#<[]|\.{3}|…|[a-z_]\w*(?:\.[a-z_]\w*)+$)/i.test(text) ||
  /your|example|placeholder|change.?me|redacted/i.test(text) ||
  /^(?:[a-z]{1,6}[_-])?(?:secret|hidden|passw\w{1,3}|pass|pwd|string|text|none|null|undefined|true|false|empty|required)[_\d-]{0,3}[.!?]?$/i.test(
    text,
  )

function calculateEntropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((bits, count) => {
    const share = count / text.length
    return bits - share * Math.log2(share)
  }, 0)
}
