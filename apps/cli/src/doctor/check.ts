import type { Config } from '../config.ts'

export interface Finding {
  readonly state: 'ok' | 'warning' | 'problem'
  readonly found: string
  readonly mend?: string
}

/** Looks at one thing and changes nothing. */
export interface Check {
  readonly name: string
  readonly look: (config: Config) => Promise<Finding>
}

export const ok = (found: string): Finding => ({ state: 'ok', found })
export const warning = (found: string, mend: string): Finding => ({ state: 'warning', found, mend })
export const problem = (found: string, mend: string): Finding => ({ state: 'problem', found, mend })
