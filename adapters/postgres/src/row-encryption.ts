import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Encrypts a text with a key that is not in the database, for one row. */
export function encryptForRow(key: Buffer, row: string, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(row))
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** Undefined for a text that was encrypted with another key or for another row. */
export function decryptForRow(key: Buffer, row: string, encrypted: Buffer): string | undefined {
  if (encrypted.length < NONCE_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv(ALGORITHM, key, encrypted.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(row)).setAuthTag(encrypted.subarray(-TAG_BYTES))
  try {
    return (
      decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    )
  } catch {
    return undefined
  }
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
