import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { z } from 'zod'

const Port = z.coerce.number().int().min(0).max(65_535)

const Environment = z.object({
  PARLEY_HOME: z
    .string()
    .default(() => join(homedir(), '.parley'))
    .transform((path) => resolve(path)),
  PARLEY_PORT: Port.default(4400),
  PARLEY_OWNER_TOKEN: z
    .string()
    .regex(/^[\w.~+/=-]{16,512}$/, 'at least 16 characters of A-Z a-z 0-9 . _ ~ + / = -')
    .optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'starts with postgresql://')
    .optional(),
})

export interface ApiConfig {
  readonly home: string
  readonly port: number
  readonly ownerToken?: string
  readonly databaseUrl?: string
}

/** The environment, read once; an empty value counts as none. */
export function readConfig(environment: NodeJS.ProcessEnv): ApiConfig {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const read = Environment.safeParse(given)
  if (!read.success) {
    const [first] = read.error.issues
    const name = String(first?.path[0] ?? '')
    throw new PlatformError('config_invalid', {
      variable: name,
      message: `${name} is not valid: ${first?.message}.`,
    })
  }
  const { PARLEY_HOME, PARLEY_PORT, PARLEY_OWNER_TOKEN, DATABASE_URL } = read.data
  return {
    home: PARLEY_HOME,
    port: PARLEY_PORT,
    ...(PARLEY_OWNER_TOKEN !== undefined && { ownerToken: PARLEY_OWNER_TOKEN }),
    ...(DATABASE_URL !== undefined && { databaseUrl: DATABASE_URL }),
  }
}
