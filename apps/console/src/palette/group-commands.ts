import type { Command } from './command.ts'

export interface CommandGroup {
  readonly title: string
  readonly commands: readonly Command[]
}

const TITLES: Record<Command['kind'], string> = {
  Page: 'Go to and do',
  Action: 'Go to and do',
  Reflection: 'Go to and do',
  Source: 'Sources',
  Fact: 'Facts',
  Session: 'Sessions',
}

const MOST_OF_A_GROUP = 40

/** The same by what they are. What holds the best comes first, and within each the better stays before the worse. */
export const groupCommands = (ranked: readonly Command[]): readonly CommandGroup[] =>
  [...Map.groupBy(ranked, ({ kind }) => TITLES[kind])].map(([title, commands]) => ({
    title,
    commands: commands.slice(0, MOST_OF_A_GROUP),
  }))
