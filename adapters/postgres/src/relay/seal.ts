import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

/**
 * Anybody who may log in to the database can read a notice, and send one. So what our processes tell each other goes
 * sealed, under a key that follows from their common secret and the name of the one that sends; a seal is good once.
 */
export function createSealer(secret: Buffer, sender: string) {
  const key = keyOf(secret, sender)
  let counter = 0
  return (bytes: Buffer): { counter: number; sealed: string } => {
    counter += 1
    const cipher = createCipheriv(ALGORITHM, key, nonceOf(counter))
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
    return { counter, sealed: sealed.toString('base64') }
  }
}

/** Opens what one sender sealed; undefined for what it did not seal, or what is not later than what was opened. */
export function createOpener(secret: Buffer, sender: string) {
  const key = keyOf(secret, sender)
  let last = 0
  return (counter: number, sealed: string): Buffer | undefined => {
    if (!Number.isSafeInteger(counter) || counter <= last) return undefined
    const bytes = Buffer.from(sealed, 'base64')
    if (bytes.length <= TAG_BYTES) return undefined
    const decipher = createDecipheriv(ALGORITHM, key, nonceOf(counter))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    try {
      const opened = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()])
      last = counter
      return opened
    } catch {
      return undefined
    }
  }
}

const ALGORITHM = 'aes-256-gcm'
const TAG_BYTES = 16

/** Changes when processes would no longer understand each other. */
const PURPOSE = 'parley relay 1'

const keyOf = (secret: Buffer, sender: string) => Buffer.from(hkdfSync('sha256', secret, sender, PURPOSE, 32))

/** A key seals for one process alone, so counting never meets a number twice. */
function nonceOf(counter: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(counter), 4)
  return nonce
}
