import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { z } from 'zod'

type Variables = Readonly<Record<string, string | undefined>>

export interface Config {
  readonly home: string
  readonly historyKey?: string
  /** The new history key for a rotation. */
  readonly newHistoryKey?: string
  readonly databaseUrl?: string
  readonly port: number
  readonly voicePort: number
  /** Host names accepted besides localhost, for a proxy. */
  readonly hosts: readonly string[]
  /** The public address of this server. */
  readonly publicUrl?: string
  readonly ownerToken?: string
  /** Whether a new data folder gets the demo reflection. */
  readonly demo: boolean
  /** Whether the terminal understands escape sequences. */
  readonly escapes: boolean
  readonly colours: boolean
  /** Whether the terminal can be given an address to open. */
  readonly links: boolean
  /** The command of the person's editor. */
  readonly editor?: string
  /** The environment for programs that tools start; contains no secrets. */
  readonly environment: Variables
  /**
   * A variable with a configured name, such as a provider key; a function, so that config dumps never show it.
   */
  readonly variable: (name: string) => string | undefined
}

/** Reads the environment, once, by one schema; an empty variable counts as absent. */
export function readConfig(variables: Variables): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value))
  const parsed = Environment.safeParse(given)
  if (!parsed.success) throw invalid(parsed.error)
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
    environment: Object.fromEntries(PASSED_ON.map((name) => [name, given[name]])),
    variable: (name) => given[name],
  }
}

/** Read separately, since the rest of the environment may be invalid. */
export const wantsStack = (variables: Variables): boolean => variables['PARLEY_DEBUG'] === '1'

/** Variables that child programs need. */
const PASSED_ON = [
  'PATH',
  'HOME',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  'USER',
  'LOGNAME',
  'XDG_CONFIG_HOME',
  'SystemRoot',
  'PATHEXT',
  'USERPROFILE',
  'TEMP',
] as const

const NO_PORT = 'must be a port number from 0 to 65535'
const Port = z
  .string()
  .regex(/^\d{1,5}$/, NO_PORT)
  .transform(Number)
  .refine((port) => port <= 65_535, NO_PORT)

const Environment = z.object({
  PARLEY_HOME: z
    .string()
    .refine(isAbsolute, 'must be an absolute path, such as /home/ada/.parley')
    .default(() => join(homedir(), '.parley')),
  PARLEY_HISTORY_KEY: z.string().optional(),
  PARLEY_HISTORY_KEY_NEW: z.string().optional(),
  PARLEY_PORT: Port.default(4_400),
  PARLEY_VOICE_PORT: Port.default(4_401),
  PARLEY_HOSTS: z
    .string()
    .transform((names) => names.split(',').map((name) => name.trim().toLowerCase()))
    .refine(
      (names) => names.every((name) => /^[a-z0-9.-]+$/.test(name)),
      'must be host names separated by commas',
    )
    .default([]),
  PARLEY_PUBLIC_URL: z
    .string()
    .refine(
      (url) => URL.canParse(url) && /^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(url),
      'must be a URL such as https://parley.example.org, without a query or a fragment',
    )
    .optional(),
  PARLEY_OWNER_TOKEN: z
    .string()
    .regex(/^[\w.~+/=-]{16,512}$/, 'must have at least 16 characters, of A-Z a-z 0-9 . _ ~ + / = -')
    .optional(),
  PARLEY_PLAIN: z.enum(['0', '1'], 'must be 0 or 1').optional(),
  PARLEY_DEMO: z.enum(['0', '1'], 'must be 0 or 1').optional(),
  PARLEY_DEBUG: z.enum(['0', '1'], 'must be 0 or 1').optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a URL that starts with postgres://')
    .optional(),
  NO_COLOR: z.string().optional(),
  TERM: z.string().optional(),
  VISUAL: z.string().optional(),
  EDITOR: z.string().optional(),
})

function invalid(error: z.ZodError): PlatformError {
  const [issue] = error.issues
  const variable = String(issue?.path[0])
  return new PlatformError('config_invalid', {
    message: `The environment variable ${variable} ${issue?.message ?? 'is invalid'}.`,
    mend: `Set ${variable} to a valid value, or unset it.`,
    variable,
  })
}
