import { computeSha256 } from './hashes.ts'

/** A statement that each connection prepares once, under its name. */
export interface SqlStatement {
  readonly name: string
  readonly text: string
}

/** Names the statement after its text, so that no two share a name. */
export const statement = (text: string): SqlStatement => ({
  name: computeSha256(text).toString('base64url'),
  text,
})
