import { createHash, createHmac } from 'node:crypto'

export const computeSha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()

export const computeSha256Hex = (data: string | Uint8Array): string => computeSha256(data).toString('hex')

/** The 32 bytes that open a public session's scope, or a limited member's namespaces: the same in every process. */
export const deriveCapability = (key: Buffer, holder: string): Buffer =>
  createHmac('sha256', key).update(holder).digest()
