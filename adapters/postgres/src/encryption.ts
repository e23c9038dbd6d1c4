import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
export const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts bytes. A nonce must never repeat for a key; the context is needed again to decrypt. */
export function encrypt(key: Buffer, nonce: Buffer, bytes: Uint8Array, context = ''): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context))
  return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
}

/** Undefined for bytes that were encrypted with another key, nonce or context. */
export function decrypt(key: Buffer, nonce: Buffer, encrypted: Buffer, context = ''): Buffer | undefined {
  if (nonce.length < NONCE_BYTES || encrypted.length < TAG_BYTES) return undefined
  const decipher = createDecipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context))
  decipher.setAuthTag(encrypted.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(encrypted.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}

/** Encrypts a text with a key that is not in the database, for one row. */
export function encryptForRow(key: Buffer, row: string, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  return Buffer.concat([nonce, encrypt(key, nonce, Buffer.from(text), row)])
}

/** Undefined for a text that was encrypted with another key or for another row. */
export const decryptForRow = (key: Buffer, row: string, encrypted: Buffer): string | undefined =>
  decrypt(key, encrypted.subarray(0, NONCE_BYTES), encrypted.subarray(NONCE_BYTES), row)?.toString()
