import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'

/**
 * Anybody who may log in to the database can read a notice, and send one. So text goes sealed, under a key that
 * follows from the secret of all our processes and the name of the one that sends; a seal is good once.
 */
export function createSealer(secret: Buffer, sender: string) {
  const key = keyOf(secret, sender)
  let counter = 0
  return (text: string): { counter: number; sealed: string } => {
    counter += 1
    const cipher = createCipheriv(ALGORITHM, key, nonceOf(counter))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return { counter, sealed: sealed.toString('base64') }
  }
}

/** Opens what one sender sealed; undefined for what it did not seal, or what was opened before. */
export function createOpener(secret: Buffer, sender: string) {
  const key = keyOf(secret, sender)
  let last = 0
  return (counter: number, sealed: string): string | undefined => {
    if (!Number.isSafeInteger(counter) || counter <= last) return undefined
    const bytes = Buffer.from(sealed, 'base64')
    if (bytes.length <= TAG_BYTES) return undefined
    try {
      const decipher = createDecipheriv(ALGORITHM, key, nonceOf(counter))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      last = counter
      return text
    } catch {
      return undefined
    }
  }
}

const ALGORITHM = 'aes-256-gcm'
const TAG_BYTES = 16

const keyOf = (secret: Buffer, sender: string) => createHmac('sha256', secret).update(sender).digest()

function nonceOf(counter: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(counter), 4)
  return nonce
}
