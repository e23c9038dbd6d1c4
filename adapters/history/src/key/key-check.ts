import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { access, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { writePrivately } from '../file/private-file.ts'
import type { HistoryKey } from './history-key.ts'

const DIGEST_BYTES = 32

/** Keeps a salted digest of the key beside the history, by which a wrong key is later told from a damaged file. */
export async function rememberKey(historyPath: string, key: HistoryKey): Promise<void> {
  const salt = randomBytes(16)
  const digest = await digestOf(key, salt)
  await writePrivately(checkPathOf(historyPath), `${salt.toString('hex')} ${digest.toString('hex')}\n`)
}

export async function checkKey(historyPath: string, key: HistoryKey): Promise<'right' | 'wrong' | 'unknown'> {
  const text = await readFile(checkPathOf(historyPath), 'utf8').catch(() => '')
  const [, salt, digest] = /^([0-9a-f]{32}) ([0-9a-f]{64})\n$/.exec(text) ?? []
  if (salt === undefined || digest === undefined) return 'unknown'
  const own = await digestOf(key, Buffer.from(salt, 'hex'))
  return timingSafeEqual(own, Buffer.from(digest, 'hex')) ? 'right' : 'wrong'
}

export const forgetKey = (historyPath: string) => rm(checkPathOf(historyPath), { force: true })

export const hasKeyCheck = (historyPath: string): Promise<boolean> =>
  access(checkPathOf(historyPath)).then(
    () => true,
    () => false,
  )

// A passphrase must be no easier to guess from its digest than from the history; a random key cannot be guessed.
async function digestOf({ secret }: HistoryKey, salt: Buffer): Promise<Buffer> {
  return secret.kind === 'raw'
    ? stretch(secret.hex.toLowerCase(), salt, { N: 2 })
    : stretch(secret.passphrase, salt, { N: 2 ** 15, maxmem: 64 * 1024 * 1024 })
}

const stretch = promisify(
  (
    text: string,
    salt: Buffer,
    cost: { N: number; maxmem?: number },
    done: (error: Error | null, digest: Buffer) => void,
  ) => scrypt(text, salt, DIGEST_BYTES, { r: 8, p: 1, ...cost }, done),
)

const checkPathOf = (historyPath: string) => join(dirname(historyPath), 'history.check')
