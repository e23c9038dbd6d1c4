import type { CommandEntry, OptionEntry, PositionalEntry } from './command.ts'

const MESSAGE: OptionEntry = {
  flags: '-m, --message <text>',
  summary: 'send this one message and print the answer; - reads it from standard input',
}
const FILE: OptionEntry = {
  flags: '-f, --file <path>',
  summary: 'give a text file along with the first message; may be repeated',
  repeatable: true,
}

const AGENT: OptionEntry = {
  flags: '-a, --agent <file|id>',
  summary: 'the agent to talk with: an .agent.yaml file, or the name of one (offline)',
}
const ID: PositionalEntry = { syntax: '<id>', summary: 'its id or the beginning of it' }

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
      AGENT,
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
    options: [
      {
        ...AGENT,
        summary: 'start a new conversation with the same past and this agent, a file or a name',
      },
      {
        flags: '-c, --continue',
        summary: 'go on with the last message, if its answer was interrupted or failed',
      },
      FILE,
      MESSAGE,
    ],
    example: 'parley resume 4k2m',
    load: async () => (await import('./resume.ts')).resume,
  },
  {
    name: 'sessions',
    summary: 'list the conversations kept on this machine, latest first',
    options: [
      { flags: '-n, --limit <count>', summary: 'how many to list (default: 20)' },
      {
        flags: '-s, --search <words...>',
        summary: 'list those whose title or a message holds these words, in this order and any case',
      },
    ],
    example: 'parley sessions --search oslo',
    subcommands: [
      {
        name: 'show',
        summary: 'print what was said in a conversation',
        positional: ID,
        load: async () => (await import('./show-session.ts')).showSession,
      },
      {
        name: 'rename',
        summary: 'give a conversation another title',
        positional: [ID, { syntax: '<title...>', summary: 'its new title' }],
        example: 'parley sessions rename 4k2m Letters to Oslo',
        load: async () => (await import('./rename-session.ts')).renameSession,
      },
      {
        name: 'end',
        summary: 'end a conversation: it is kept, and nothing more can be said in it',
        positional: ID,
        load: async () => (await import('./end-session.ts')).endSession,
      },
      {
        name: 'cancel',
        summary: 'stop the answer that is under way in another terminal',
        positional: ID,
        load: async () => (await import('./cancel-session.ts')).cancelSession,
      },
      {
        name: 'delete',
        summary: 'delete a conversation for good',
        positional: ID,
        options: [{ flags: '-y, --yes', summary: 'delete it without being asked' }],
        load: async () => (await import('./delete-session.ts')).deleteSession,
      },
    ],
    load: async () => (await import('./sessions.ts')).sessions,
  },
  {
    name: 'keys',
    summary: 'where the key of the history is; rotate it, back it up, restore it',
    subcommands: [
      {
        name: 'rotate',
        summary: 'make a new key and encrypt the history with it; the old key then opens nothing',
        load: async () => (await import('./keys-rotate.ts')).rotateKeys,
      },
      {
        name: 'back-up',
        summary: 'write the key to a file that only you can read',
        positional: { syntax: '<file>', summary: 'the file to write; - prints the key on the screen' },
        options: [{ flags: '--force', summary: 'write over a file that is there' }],
        example: 'parley keys back-up /media/stick/parley.key',
        load: async () => (await import('./keys-back-up.ts')).backUpKeys,
      },
      {
        name: 'restore',
        summary: 'put a key that was backed up in its place, if it opens the history',
        positional: { syntax: '<file>', summary: 'the file that `parley keys back-up` wrote' },
        load: async () => (await import('./keys-restore.ts')).restoreKeys,
      },
    ],
    load: async () => (await import('./keys.ts')).keys,
  },
  {
    name: 'doctor',
    summary: 'check that everything Parley needs is here',
    load: async () => (await import('./doctor.ts')).doctor,
  },
]
