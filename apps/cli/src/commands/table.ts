import type { CommandEntry, OptionEntry, ArgumentEntry } from './command.ts'
import { REFLECTIONS } from './reflections-table.ts'
import { AGENTS, CONFIG, DATABASE, DOCTOR, KEYS, PROVIDERS, TOKENS, TRUST } from './settings-table.ts'

const MESSAGE: OptionEntry = [
  '-m, --message <text>',
  'send one message, print the answer and exit; - reads it from standard input',
]
const FILE: OptionEntry = [
  '-f, --file <path>',
  'attach a text file, image or PDF to the first message; may be repeated',
  'repeatable',
]
const AGENT: OptionEntry = [
  '-a, --agent <file|id>',
  'the agent to use: an .agent.yaml file or an agent id (default: the default_model of your config)',
]
const MODEL: OptionEntry = [
  '--model <provider/model>',
  'the model to use, such as anthropic/claude-sonnet-4-5',
]
const ID: ArgumentEntry = ['<id>', 'session id, or the start of it']

/** Every command takes it. */
export const JSON_OPTION: OptionEntry = ['--json', 'print JSON: one document, or one event per line']

const RUN: readonly CommandEntry[] = [
  {
    name: 'up',
    summary: 'run everything on this machine until Ctrl-C: database, API, worker, voice and web console',
    load: async () => (await import('./up.ts')).runUp,
  },
  {
    name: 'serve',
    summary: 'run a single service, using the Postgres at DATABASE_URL',
    subcommands: [
      {
        name: 'api',
        summary: 'run the API and the web console; logs to standard output',
        load: async () => (await import('./serve.ts')).serveApi,
      },
      {
        name: 'worker',
        summary: 'run the worker that imports sources in the background; logs to standard output',
        load: async () => (await import('./serve.ts')).serveWorker,
      },
      {
        name: 'voice',
        summary: 'run the local voice provider, for ElevenLabs clients; logs to standard output',
        options: [
          [
            '--host <address>',
            'the IP address to listen on, such as 0.0.0.0 (default: 127.0.0.1, this machine only)',
          ],
        ],
        load: async () => (await import('./serve.ts')).serveVoice,
      },
    ],
    load: async () => (await import('./serve.ts')).refuseBareServe,
  },
]

const CHAT: readonly CommandEntry[] = [
  {
    name: 'chat',
    summary: 'chat with an agent or a reflection',
    options: [
      AGENT,
      MODEL,
      FILE,
      MESSAGE,
      [
        '--var <name=value>',
        'set a variable that the agent reads as {{ctx.name}}; not for secrets; may be repeated',
        'repeatable',
      ],
      ['--fs-scope <tier>', 'which files tools can reach: sandboxed (this folder), project or full'],
      ['--tools <names>', 'use only these of the agent’s tools (comma-separated), or none'],
      ['-t, --title <title>', 'title of the session'],
      [
        '-r, --reflection <name>',
        'talk with a reflection on the running server: its id, its name, the start of either, or demo',
      ],
      ['--interview', 'the reflection interviews you and learns from your answers'],
      ['--off-record', 'save nothing of this session with the reflection'],
    ],
    example: 'parley chat --file notes.md --message "When is the meeting?"',
    load: async () => (await import('./chat.ts')).startChat,
  },
  {
    name: 'resume',
    summary: 'resume a session',
    positional: [
      ['[id]', 'session id, or the start of it; without one you choose (without a terminal: the latest)'],
    ],
    options: [
      [AGENT[0], 'copy the session into a new one with this agent (file or id)'],
      [MODEL[0], 'copy the session into a new one with this model'],
      ['-c, --continue', 'answer the last message if its answer was interrupted or failed'],
      ['-l, --latest', 'resume the latest session without asking'],
      FILE,
      MESSAGE,
    ],
    example: 'parley resume 4k2m',
    load: async () => (await import('./resume.ts')).resumeSession,
  },
  {
    name: 'sessions',
    summary: 'list sessions, latest first; show, rename, end, cancel and delete them',
    options: [
      ['-n, --limit <count>', 'how many to list (default: 20)'],
      ['-s, --search <words...>', 'list sessions whose title or messages contain this phrase (ignores case)'],
      ['--server', 'list sessions on the running server: with reflections, by voice and from the browser'],
    ],
    example: 'parley sessions --search oslo',
    subcommands: [
      {
        name: 'show',
        summary: 'print the messages of a session',
        positional: [ID],
        options: [['--full', 'include the full output of tools']],
        load: async () => (await import('./sessions.ts')).showSession,
      },
      {
        name: 'rename',
        summary: 'change the title of a session',
        positional: [ID, ['<title...>', 'the new title']],
        example: 'parley sessions rename 4k2m Letters to Oslo',
        load: async () => (await import('./sessions.ts')).renameSession,
      },
      {
        name: 'end',
        summary: 'end a session; it stays readable but accepts no more messages',
        positional: [ID],
        load: async () => (await import('./sessions.ts')).endSession,
      },
      {
        name: 'cancel',
        summary: 'stop the running answer of a session',
        positional: [ID],
        load: async () => (await import('./sessions.ts')).cancelSession,
      },
      {
        name: 'delete',
        summary: 'delete a session permanently',
        positional: [ID],
        options: [['-y, --yes', 'delete without asking']],
        load: async () => (await import('./sessions.ts')).deleteSession,
      },
    ],
    load: async () => (await import('./sessions.ts')).listSessions,
  },
  {
    name: 'export',
    summary: 'export a session as a workflow file (.relavium.yaml)',
    positional: [ID],
    options: [
      ['-o, --output <file>', 'the file to write (default: print it)'],
      ['--force', 'overwrite an existing file'],
    ],
    example: 'parley export 4k2m -o letters.relavium.yaml',
    load: async () => (await import('./export-session.ts')).runExport,
  },
]

export const COMMANDS: Readonly<Record<string, readonly CommandEntry[]>> = {
  Run: RUN,
  Chat: CHAT,
  Reflections: [REFLECTIONS],
  Settings: [AGENTS, PROVIDERS, CONFIG, TRUST],
  Administration: [TOKENS, KEYS, DATABASE, DOCTOR],
}
