import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { z } from 'zod'

type Variables = Readonly<Record<string, string | undefined>>

export interface Environment {
  readonly home: string
  readonly historyKey?: string
  readonly newHistoryKey?: string
  readonly databaseUrl?: string
  readonly port: number
  readonly voicePort: number
  /** Host names accepted besides localhost, for a proxy. */
  readonly hosts: readonly string[]
  readonly publicUrl?: string
  readonly ownerToken?: string
  /** Whether a new data folder gets the demo reflection. */
  readonly demo: boolean
  readonly escapes: boolean
  readonly colours: boolean
  /** Whether the terminal can be given an address to open. */
  readonly links: boolean
  readonly editor?: string
  /** For tools and the programs that they start; without secrets. */
  readonly toolVariables: Variables
  /**
   * A variable with a configured name, such as a provider key; a function, so that config dumps never show it.
   */
  readonly variable: (name: string) => string | undefined
}

/** Reads the environment, once, by one schema; an empty variable counts as absent. */
export function readEnvironment(variables: Variables): Environment {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value))
  const parsed = KnownVariables.safeParse(given)
  if (!parsed.success) throw createInvalidVariableError(parsed.error)
  const { PARLEY_HOME, PARLEY_HISTORY_KEY, DATABASE_URL, PARLEY_PORT, PARLEY_HOSTS, PARLEY_OWNER_TOKEN } =
    parsed.data
  const { NO_COLOR, PARLEY_PLAIN, TERM, VISUAL, EDITOR, PARLEY_HISTORY_KEY_NEW, PARLEY_DEMO } = parsed.data
  const { PARLEY_VOICE_PORT, PARLEY_PUBLIC_URL } = parsed.data
  const escapes = TERM !== 'dumb' && PARLEY_PLAIN !== '1'
  const editor = VISUAL ?? EDITOR
  return {
    home: PARLEY_HOME,
    ...(PARLEY_HISTORY_KEY !== undefined && { historyKey: PARLEY_HISTORY_KEY }),
    ...(PARLEY_HISTORY_KEY_NEW !== undefined && { newHistoryKey: PARLEY_HISTORY_KEY_NEW }),
    ...(DATABASE_URL !== undefined && { databaseUrl: DATABASE_URL }),
    port: PARLEY_PORT,
    voicePort: PARLEY_VOICE_PORT,
    hosts: PARLEY_HOSTS,
    ...(PARLEY_PUBLIC_URL !== undefined && { publicUrl: PARLEY_PUBLIC_URL }),
    ...(PARLEY_OWNER_TOKEN !== undefined && { ownerToken: PARLEY_OWNER_TOKEN }),
    demo: PARLEY_DEMO !== '0',
    escapes,
    colours: escapes && NO_COLOR === undefined,
    links: escapes && TERM !== 'linux',
    ...(editor !== undefined && { editor }),
    toolVariables: Object.fromEntries(TOOL_VARIABLES.map((name) => [name, given[name]])),
    variable: (name) => given[name],
  }
}

/** Read separately, since the rest of the environment may be invalid. */
export const shouldPrintStack = (variables: Variables): boolean => variables['PARLEY_DEBUG'] === '1'

/** What tools need: to find programs, and to pass on to them. */
const TOOL_VARIABLES = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TMPDIR'] as const

const NO_PORT = 'must be a port number from 0 to 65535'
const Port = z
  .string()
  .regex(/^\d{1,5}$/, NO_PORT)
  .transform(Number)
  .refine((port) => port <= 65_535, NO_PORT)

const Switch = z.enum(['0', '1'], 'must be 0 or 1').optional()
const Text = z.string().optional()

/** Every variable with a fixed name, for `docs/configuration.md`. Those of Text are checked where they are used. */
export const VARIABLES = {
  'Data and servers': {
    PARLEY_HOME: z
      .string()
      .refine(isAbsolute, 'must be an absolute path, such as /home/ada/.parley')
      .default(() => join(homedir(), '.parley'))
      .describe('the data folder, an absolute path'),
    PARLEY_HISTORY_KEY: Text.describe(
      'the key of the local history: 64 hexadecimal digits, or a passphrase; without it, the system keychain or a key file has the key',
    ),
    PARLEY_HISTORY_KEY_NEW: Text.describe('the new key for `parley keys rotate`'),
    DATABASE_URL: z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must be a URL that starts with postgres://')
      .optional()
      .describe('the Postgres for `parley serve`; `parley up` brings its own'),
    PARLEY_PORT: Port.default(4_400).describe('the port of the API and the web console; 0 picks a free one'),
    PARLEY_VOICE_PORT: Port.default(4_401).describe('the port of the local voice provider'),
    PARLEY_HOSTS: z
      .string()
      .transform((names) => names.split(',').map((name) => name.trim().toLowerCase()))
      .refine(
        (names) => names.every((name) => /^[a-z0-9.-]+$/.test(name)),
        'must be host names separated by commas',
      )
      .default([])
      .describe('host names accepted besides localhost, separated by commas; set them behind a proxy'),
    PARLEY_PUBLIC_URL: z
      .string()
      .refine(
        (url) => URL.canParse(url) && /^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(url),
        'must be a URL such as https://parley.example.org, without a query or a fragment',
      )
      .optional()
      .describe('the public URL of the server, for links and for the voice provider'),
    PARLEY_OWNER_TOKEN: z
      .string()
      .regex(/^[\w.~+/=-]{16,512}$/, 'must have at least 16 characters, of A-Z a-z 0-9 . _ ~ + / = -')
      .optional()
      .describe(
        'the access token of the owner, at least 16 characters; `parley up` creates one, `parley serve api` requires it',
      ),
    PARLEY_DEMO: Switch.describe('`0` starts a new data folder without the demo reflection'),
    SENTRY_DSN: Text.describe('the Sentry project for error reports; without it, none are sent'),
  },
  'Sign-in with JWTs': {
    PARLEY_JWT_ISSUER: Text.describe(
      'the issuer of accepted JWTs; without it, only access tokens are accepted',
    ),
    PARLEY_JWT_JWKS_URL: Text.describe(
      'the URL of its keys (default: `.well-known/jwks.json` below the issuer)',
    ),
    PARLEY_JWT_AUDIENCE: Text.describe('the audience that a JWT must name (default: `parley`)'),
  },
  'Voice provider': {
    ELEVENLABS_API_KEY: Text.describe(
      'the API key; if neither it nor a base URL is set, `parley up` uses the local provider',
    ),
    ELEVENLABS_BASE_URL: Text.describe('the URL of an ElevenLabs-compatible provider'),
    ELEVENLABS_BINDING_SECRET: Text.describe(
      'the secret that signs conversations; `parley up` creates one, `parley serve api` with a provider requires it',
    ),
    ELEVENLABS_BINDING_SECRETS_PREVIOUS: Text.describe(
      'earlier secrets that stay valid, separated by commas',
    ),
    ELEVENLABS_TOOL_SECRET: Text.describe('the secret for tool calls; created or required in the same way'),
    ELEVENLABS_WEBHOOK_SECRET: Text.describe('the secret of a webhook that you created yourself'),
    ELEVENLABS_AGENT_ID: Text.describe('your own general agent at the provider; without it, one is created'),
    ELEVENLABS_INTERVIEWER_AGENT_ID: Text.describe('the same for interviews'),
  },
  Terminal: {
    NO_COLOR: Text.describe('any value turns colours off'),
    PARLEY_PLAIN: Switch.describe('`1` prints plain lines: no colours, no redrawing'),
    TERM: Text.describe('`dumb` has the effect of `PARLEY_PLAIN=1`'),
    VISUAL: Text.describe('the command of your editor'),
    EDITOR: Text.describe('the same, used if `VISUAL` is not set'),
    PARLEY_DEBUG: Switch.describe('`1` prints the stack of an error'),
    XDG_CACHE_HOME: Text.describe('the folder for compiled code (default: `~/.cache`)'),
    NODE_COMPILE_CACHE: Text.describe('the same, without a `parley` folder in it; takes precedence'),
  },
} as const

const KnownVariables = z.object({
  ...VARIABLES['Data and servers'],
  ...VARIABLES['Sign-in with JWTs'],
  ...VARIABLES['Voice provider'],
  ...VARIABLES.Terminal,
})

function createInvalidVariableError(error: z.ZodError): PlatformError {
  const [issue] = error.issues
  const variable = String(issue?.path[0])
  return new PlatformError('config_invalid', {
    message: `The environment variable ${variable} ${issue?.message ?? 'is invalid'}.`,
    fix: `Set ${variable} to a valid value, or unset it.`,
    variable,
  })
}
