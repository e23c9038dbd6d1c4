import type { CommandEntry, OptionEntry, PositionalEntry } from './command.ts'
import { REFLECTIONS } from './reflections-table.ts'
import { TOKENS } from './tokens-table.ts'

const MESSAGE: OptionEntry = {
  flags: '-m, --message <text>',
  summary: 'send this one message and print the answer; - reads it from standard input',
}
const FILE: OptionEntry = {
  flags: '-f, --file <path>',
  summary: 'give a text file, image or PDF along with the first message; may be repeated',
  repeatable: true,
}

const AGENT: OptionEntry = {
  flags: '-a, --agent <file|id>',
  summary: 'the agent to talk with: an .agent.yaml file, or the name of one (offline)',
}
const MODEL: OptionEntry = {
  flags: '--model <provider/model>',
  summary: 'the model that answers, such as anthropic/claude-sonnet-4-5',
}
const ID: PositionalEntry = { syntax: '<id>', summary: 'its id or the beginning of it' }

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'up',
    summary:
      'run everything on this machine: database, API, worker, voice provider and web console, until Ctrl-C',
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
      {
        name: 'worker',
        summary: 'what learns from sources in the background; its log goes to standard output',
        load: async () => (await import('./serve-worker.ts')).serveWorker,
      },
      {
        name: 'voice',
        summary: 'the local voice provider, for ElevenLabs’ own clients; its log goes to standard output',
        options: [
          {
            flags: '--host <address>',
            summary: 'the IP address to listen on, such as 0.0.0.0 (127.0.0.1: this machine only)',
          },
        ],
        load: async () => (await import('./serve-voice.ts')).serveVoice,
      },
    ],
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'chat',
    summary: 'start a session',
    options: [
      AGENT,
      MODEL,
      FILE,
      MESSAGE,
      {
        flags: '--var <name=value>',
        summary: 'a variable that the agent reads as {{ctx.name}}, never a secret; may be repeated',
        repeatable: true,
      },
      {
        flags: '--fs-scope <tier>',
        summary: 'how far files may be reached: sandboxed (this folder), project, full',
      },
      { flags: '--tools <names>', summary: 'of the agent’s tools, only these, with commas between; or none' },
      { flags: '-t, --title <title>', summary: 'a title for the list of sessions' },
      {
        flags: '-r, --reflection <name>',
        summary:
          'talk with a reflection of the Parley that runs: its id, its name, the beginning of either, or demo',
      },
      { flags: '--interview', summary: 'let yourself be asked, so that the reflection learns' },
      { flags: '--off-record', summary: 'nothing of the talk with the reflection is kept' },
    ],
    example: 'parley chat --file notes.md --message "When is the meeting?"',
    load: async () => (await import('./chat.ts')).chat,
  },
  {
    name: 'resume',
    summary: 'go on with an earlier session',
    positional: {
      syntax: '[id]',
      summary: 'its id or the beginning of it; without one, you choose, or where nobody can, the latest',
    },
    options: [
      {
        ...AGENT,
        summary: 'start a new session with the same past and this agent, a file or a name',
      },
      { ...MODEL, summary: 'start a new session with the same past and this model' },
      {
        flags: '-c, --continue',
        summary: 'go on with the last message, if its answer was interrupted or failed',
      },
      { flags: '-l, --latest', summary: 'go on with the latest session, without being asked which' },
      FILE,
      MESSAGE,
    ],
    example: 'parley resume 4k2m',
    load: async () => (await import('./resume.ts')).resume,
  },
  {
    name: 'sessions',
    summary: 'list the sessions kept on this machine, or with --server at the Parley that runs, latest first',
    options: [
      { flags: '-n, --limit <count>', summary: 'how many to list (default: 20)' },
      {
        flags: '-s, --search <words...>',
        summary: 'list those whose title or a message holds these words, in this order and any case',
      },
      {
        flags: '--server',
        summary: 'those of the Parley that runs: with reflections, spoken, and of the browser',
      },
    ],
    example: 'parley sessions --search oslo',
    subcommands: [
      {
        name: 'show',
        summary: 'print what was said in a session',
        positional: ID,
        options: [{ flags: '--full', summary: 'all that tools said, too' }],
        load: async () => (await import('./show-session.ts')).showSession,
      },
      {
        name: 'rename',
        summary: 'give a session another title',
        positional: [ID, { syntax: '<title...>', summary: 'its new title' }],
        example: 'parley sessions rename 4k2m Letters to Oslo',
        load: async () => (await import('./rename-session.ts')).renameSession,
      },
      {
        name: 'end',
        summary: 'end a session: it is kept, and nothing more can be said in it',
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
        summary: 'delete a session for good',
        positional: ID,
        options: [{ flags: '-y, --yes', summary: 'delete it without being asked' }],
        load: async () => (await import('./delete-session.ts')).deleteSession,
      },
    ],
    load: async () => (await import('./sessions.ts')).sessions,
  },
  {
    name: 'export',
    summary: 'write a session as a workflow file (.relavium.yaml)',
    positional: ID,
    options: [
      { flags: '-o, --output <file>', summary: 'the file to write; - or none prints it' },
      { flags: '--force', summary: 'write over a file that is there' },
    ],
    example: 'parley export 4k2m -o letters.relavium.yaml',
    load: async () => (await import('./export-session.ts')).exportSession,
  },
  REFLECTIONS,
  TOKENS,
  {
    name: 'keys',
    summary: 'where the key of the history is; rotate it, back it up, restore it; keep secrets for tools',
    subcommands: [
      {
        name: 'set',
        summary: 'keep a secret, whose value is read from standard input',
        positional: {
          syntax: '<name>',
          summary: 'such as TIDES_API_KEY; config names it {{secrets.TIDES_API_KEY}}',
        },
        example: 'parley keys set TIDES_API_KEY < key.txt',
        load: async () => (await import('./keys-set.ts')).setSecret,
      },
      {
        name: 'list',
        summary: 'the names of the secrets that are kept',
        load: async () => (await import('./keys-list.ts')).listSecrets,
      },
      {
        name: 'remove',
        summary: 'let nothing use a secret any more',
        positional: { syntax: '<name>', summary: 'its name' },
        load: async () => (await import('./keys-remove.ts')).removeSecret,
      },
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
    name: 'agents',
    summary: 'list the agents that can be named here; show, make and check them',
    subcommands: [
      {
        name: 'show',
        summary: 'print an agent as YAML, and where it comes from',
        positional: { syntax: '<id>', summary: 'its id, or its file' },
        load: async () => (await import('./agents-show.ts')).showAgent,
      },
      {
        name: 'new',
        summary: 'write an agent file with comments to begin from',
        positional: { syntax: '<id>', summary: 'its id: lower-case letters, digits and hyphens' },
        options: [
          { flags: '-m, --model <provider/model>', summary: 'the model that answers' },
          { flags: '--project', summary: 'put it in the .parley folder of the project, not in your own' },
        ],
        example: 'parley agents new code-reader --model anthropic/claude-sonnet-4-5',
        load: async () => (await import('./agents-new.ts')).newAgent,
      },
      {
        name: 'check',
        summary: 'tell all that is wrong with agent files, by line and column',
        positional: { syntax: '[agents...]', summary: 'their ids or files; without any, all that are found' },
        load: async () => (await import('./agents-check.ts')).checkAgents,
      },
      {
        name: 'schema',
        summary: 'print the JSON Schema of agent files, for editors',
        load: async () => (await import('./agents-schema.ts')).agentSchema,
      },
    ],
    load: async () => (await import('./agents.ts')).agents,
  },
  {
    name: 'providers',
    summary: 'list who can run models here; add, remove and test them',
    subcommands: [
      {
        name: 'add',
        summary: 'write a provider into your config; its key stays in the environment',
        positional: { syntax: '<name>', summary: 'a name for it' },
        options: [
          {
            flags: '-k, --kind <kind>',
            summary: 'how it is spoken to: anthropic, openai, google or openai-compatible',
          },
          { flags: '-u, --base-url <url>', summary: 'where it answers, if not at its usual address' },
          {
            flags: '-e, --api-key-env <variable>',
            summary: 'the environment variable that holds its key',
          },
        ],
        example: 'parley providers add local -k openai-compatible -u http://127.0.0.1:11434/v1',
        load: async () => (await import('./providers-add.ts')).addToProviders,
      },
      {
        name: 'remove',
        summary: 'take a provider out of your config',
        positional: { syntax: '<name>', summary: 'its name' },
        load: async () => (await import('./providers-remove.ts')).removeFromProviders,
      },
      {
        name: 'test',
        summary: 'ask providers whether key and address work; costs nothing',
        positional: { syntax: '[name]', summary: 'its name; without one, all that have what they need' },
        load: async () => (await import('./providers-test.ts')).testProviders,
      },
      {
        name: 'models',
        summary: 'list the models that a provider has',
        positional: { syntax: '[name]', summary: 'its name; without one, all that have what they need' },
        load: async () => (await import('./providers-models.ts')).listProviderModels,
      },
    ],
    load: async () => (await import('./providers.ts')).providers,
  },
  {
    name: 'config',
    summary: 'print the settings that hold in this folder, and where each comes from',
    subcommands: [
      {
        name: 'schema',
        summary: 'print the JSON Schema of config files, for editors',
        load: async () => (await import('./config-schema.ts')).configSchema,
      },
    ],
    load: async () => (await import('./config.ts')).config,
  },
  {
    name: 'trust',
    summary: 'see what the files of a project ask for, and allow it',
    positional: { syntax: '[path]', summary: 'the project or one of its files (default: this folder)' },
    options: [
      { flags: '-l, --list', summary: 'list what is trusted' },
      { flags: '--revoke <path>', summary: 'trust a file, or all below a folder, no more' },
      { flags: '-y, --yes', summary: 'trust it without being asked' },
    ],
    load: async () => (await import('./trust.ts')).trust,
  },
  {
    name: 'db',
    summary: 'how to reach the database by hand',
    subcommands: [
      {
        name: 'url',
        summary: 'print the address of the database for one of its roles; it holds a password',
        options: [{ flags: '-r, --role <role>', summary: 'serving, learning, public, member or provider' }],
        example: 'psql "$(parley db url --role public)"',
        load: async () => (await import('./db-url.ts')).databaseUrl,
      },
    ],
    load: async () => (await import('./db-url.ts')).database,
  },
  {
    name: 'doctor',
    summary: 'check that everything Parley needs is here',
    load: async () => (await import('./doctor.ts')).doctor,
  },
]
