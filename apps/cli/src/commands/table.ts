import type { CommandEntry, OptionEntry } from './command.ts'

const MESSAGE: OptionEntry = {
  flags: '-m, --message <text>',
  summary: 'send this one message and print the answer; - reads it from standard input',
}
const FILE: OptionEntry = {
  flags: '-f, --file <path>',
  summary: 'give a text file along with the first message; may be repeated',
  repeatable: true,
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'up',
    summary: 'run everything on this machine: database, API and web console, until Ctrl-C',
    load: async () => (await import('./up.ts')).up,
  },
  {
    name: 'serve',
    summary: 'run one program of many, on the Postgres of DATABASE_URL',
    subcommands: [
      {
        name: 'api',
        summary: 'the API and the web console; its log goes to standard output',
        load: async () => (await import('./serve-api.ts')).serveApi,
      },
    ],
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'chat',
    summary: 'start a conversation',
    options: [
      { flags: '-a, --agent <file>', summary: 'the agent to talk with, an .agent.yaml file' },
      FILE,
      MESSAGE,
      { flags: '-t, --title <title>', summary: 'a title for the list of sessions' },
    ],
    example: 'parley chat --file notes.md --message "When is the meeting?"',
    load: async () => (await import('./chat.ts')).chat,
  },
  {
    name: 'resume',
    summary: 'go on with an earlier conversation',
    positional: {
      syntax: '[id]',
      summary: 'its id or the beginning of it; without one, the latest conversation',
    },
    options: [FILE, MESSAGE],
    example: 'parley resume 4k2m',
    load: async () => (await import('./resume.ts')).resume,
  },
  {
    name: 'sessions',
    summary: 'list the conversations kept on this machine, latest first',
    options: [{ flags: '-n, --limit <count>', summary: 'how many to list (default: 20)' }],
    subcommands: [
      {
        name: 'show',
        summary: 'print what was said in a conversation',
        positional: { syntax: '<id>', summary: 'its id or the beginning of it' },
        load: async () => (await import('./show-session.ts')).showSession,
      },
    ],
    load: async () => (await import('./sessions.ts')).sessions,
  },
  {
    name: 'doctor',
    summary: 'check that everything Parley needs is here',
    load: async () => (await import('./doctor.ts')).doctor,
  },
]
