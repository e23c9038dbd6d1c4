import { createHash } from 'node:crypto'

/** A statement that each connection prepares once, under its name. */
export interface Statement {
  readonly name: string
  readonly text: string
}

/** Names the statement after its text, so that no two share a name. */
export const statement = (text: string): Statement => ({
  name: createHash('sha256').update(text).digest('base64url'),
  text,
})
