import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { access, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { writePrivateFile } from '../file/private-file.ts'
import type { HistoryKey } from './history-key.ts'

const DIGEST_BYTES = 32

/** Since when the history has its key: since its creation or its last rotation. */
export interface KeySince {
  readonly event: 'made' | 'rotated'
  readonly at: string
}

/**
 * A salted digest of a key, beside the history, that distinguishes a wrong key from a damaged file. During a rotation
 * the new key has one, too; so a second check marks an interrupted rotation.
 */
export interface KeyCheck {
  readonly salt: string
  readonly digest: string
  readonly since?: KeySince
}

export async function createKeyCheck(key: HistoryKey, since?: KeySince): Promise<KeyCheck> {
  const salt = randomBytes(16).toString('hex')
  const digest = (await digestKey(key, salt)).toString('hex')
  return { salt, digest, ...(since && { since }) }
}

export async function matchesKey({ salt, digest }: KeyCheck, key: HistoryKey): Promise<boolean> {
  return timingSafeEqual(await digestKey(key, salt), Buffer.from(digest, 'hex'))
}

/** None if the file is missing or invalid. */
export async function readKeyChecks(historyPath: string): Promise<readonly KeyCheck[]> {
  const text = await readFile(toKeyCheckPath(historyPath), 'utf8').catch(() => '')
  const checks = text.trimEnd().split('\n').map(parseCheck)
  return checks.every((check) => check !== undefined) ? checks : []
}

export const writeKeyChecks = (historyPath: string, checks: readonly KeyCheck[]) =>
  writePrivateFile(toKeyCheckPath(historyPath), checks.map((check) => `${formatCheck(check)}\n`).join(''))

export const removeKeyChecks = (historyPath: string) => rm(toKeyCheckPath(historyPath), { force: true })

export const hasKeyChecks = (historyPath: string): Promise<boolean> =>
  access(toKeyCheckPath(historyPath)).then(
    () => true,
    () => false,
  )

const LINE = /^([0-9a-f]{32}) ([0-9a-f]{64})(?: (made|rotated) (\S+))?$/

function parseCheck(line: string): KeyCheck | undefined {
  const [, salt, digest, event, at] = LINE.exec(line) ?? []
  if (salt === undefined || digest === undefined) return undefined
  if (at === undefined) return { salt, digest }
  return { salt, digest, since: { event: event === 'made' ? 'made' : 'rotated', at } }
}

const formatCheck = ({ salt, digest, since }: KeyCheck): string =>
  `${salt} ${digest}${since ? ` ${since.event} ${since.at}` : ''}`

// A passphrase must not be easier to guess from its digest than from the history; a random key cannot be guessed.
async function digestKey({ secret }: HistoryKey, salt: string): Promise<Buffer> {
  return secret.kind === 'raw'
    ? stretch(secret.hex.toLowerCase(), salt, { N: 2 })
    : stretch(secret.passphrase, salt, { N: 2 ** 15, maxmem: 64 * 1024 * 1024 })
}

const stretch = promisify(
  (
    text: string,
    salt: string,
    cost: { N: number; maxmem?: number },
    done: (error: Error | null, digest: Buffer) => void,
  ) => scrypt(text, Buffer.from(salt, 'hex'), DIGEST_BYTES, { r: 8, p: 1, ...cost }, done),
)

export const toKeyCheckPath = (historyPath: string) => join(dirname(historyPath), 'history.check')
