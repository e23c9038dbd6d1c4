import type { CommandEntry, OptionEntry } from './command.ts'

const LIMIT: OptionEntry = ['-n, --limit <count>', 'how many to list (default: 50)']
const FORCE: OptionEntry = ['--force', 'overwrite an existing file']

const listTokens = async () => (await import('./tokens.ts')).listTokens

export const TOKENS: CommandEntry = {
  name: 'tokens',
  summary: 'list access tokens of the running server; create and revoke them',
  options: [LIMIT],
  subcommands: [
    {
      name: 'list',
      summary: 'list who has a token; the tokens themselves are never shown',
      options: [LIMIT],
      load: listTokens,
    },
    {
      name: 'create',
      summary: 'create a token for a new person; it is printed only once',
      positional: [['<name...>', 'the name of the person']],
      options: [
        ['-r, --role <role>', 'owner, admin, operator, viewer or guest'],
        [
          '--reflection <id>',
          'make them a member of this reflection with that role; on the server they are a viewer',
        ],
        [
          '--namespaces <folders>',
          'private folders of the reflection a viewer or operator can read: all, or a,b (default: all)',
        ],
        ['--subject <sub>', 'the JWT subject (see PARLEY_JWT_ISSUER), instead of a token'],
      ],
      example: 'parley tokens create "Grace Hopper" --role viewer --reflection demo',
      load: async () => (await import('./tokens.ts')).createToken,
    },
    {
      name: 'revoke',
      summary: 'revoke a token',
      positional: [['<token>', 'token id, or the start of it, from `parley tokens list`']],
      load: async () => (await import('./tokens.ts')).revokeToken,
    },
  ],
  load: listTokens,
}

export const KEYS: CommandEntry = {
  name: 'keys',
  summary: 'show and rotate the encryption key of the history; save secrets for tools',
  subcommands: [
    {
      name: 'set',
      summary: 'save a secret for tools; its value is read from standard input',
      positional: [['<name>', 'such as TIDES_API_KEY; refer to it in config as {{secrets.TIDES_API_KEY}}']],
      example: 'parley keys set TIDES_API_KEY < key.txt',
      load: async () => (await import('./keys.ts')).setSecret,
    },
    {
      name: 'list',
      summary: 'list the names of the saved secrets for tools',
      load: async () => (await import('./keys.ts')).listSecrets,
    },
    {
      name: 'remove',
      summary: 'remove a secret for tools',
      positional: [['<name>', 'the name of the secret']],
      load: async () => (await import('./keys.ts')).removeSecret,
    },
    {
      name: 'rotate',
      summary: 'create a new encryption key and re-encrypt the history; the old key stops working',
      load: async () => (await import('./keys.ts')).rotateHistoryKey,
    },
    {
      name: 'back-up',
      summary: 'write the encryption key to a file that only you can read',
      positional: [['<file>', 'the file to write; - prints the key']],
      options: [FORCE],
      example: 'parley keys back-up /media/stick/parley.key',
      load: async () => (await import('./keys.ts')).backUpKey,
    },
    {
      name: 'restore',
      summary: 'restore the encryption key from a backup, after checking that it opens the history',
      positional: [['<file>', 'the file written by `parley keys back-up`']],
      load: async () => (await import('./keys.ts')).restoreKeyFromBackup,
    },
  ],
  load: async () => (await import('./keys.ts')).showKey,
}

export const AGENTS: CommandEntry = {
  name: 'agents',
  summary: 'list the available agents; show, create and validate them',
  subcommands: [
    {
      name: 'show',
      summary: 'print an agent as YAML, and where it is defined',
      positional: [['<id>', 'agent id or file']],
      load: async () => (await import('./agents.ts')).showAgent,
    },
    {
      name: 'new',
      summary: 'create an agent file with comments to start from',
      positional: [['<id>', 'agent id: lower-case letters, digits and hyphens']],
      options: [
        ['-m, --model <provider/model>', 'the model of the agent'],
        ['--project', 'create it in the project’s .parley folder instead of your own'],
      ],
      example: 'parley agents new code-reader --model anthropic/claude-sonnet-4-5',
      load: async () => (await import('./agents.ts')).createAgent,
    },
    {
      name: 'check',
      summary: 'validate agent files; errors name line and column',
      positional: [['[agents...]', 'agent ids or files (default: all)']],
      load: async () => (await import('./agents.ts')).checkAgents,
    },
    {
      name: 'schema',
      summary: 'print the JSON Schema of agent files, for editors',
      load: async () => (await import('./agents.ts')).printAgentSchema,
    },
  ],
  load: async () => (await import('./agents.ts')).printAgents,
}

export const PROVIDERS: CommandEntry = {
  name: 'providers',
  summary: 'list model providers; add, remove and test them',
  subcommands: [
    {
      name: 'add',
      summary: 'add a provider to your config; its key stays in the environment',
      positional: [['<name>', 'a name for the provider']],
      options: [
        ['-k, --kind <kind>', 'its API, such as anthropic or openai-compatible; a wrong one prints the list'],
        ['-u, --base-url <url>', 'its address, if not the usual one'],
        ['-e, --api-key-env <variable>', 'the environment variable that holds its key'],
      ],
      example: 'parley providers add local -k openai-compatible -u http://127.0.0.1:11434/v1',
      load: async () => (await import('./providers.ts')).addToProviders,
    },
    {
      name: 'remove',
      summary: 'remove a provider from your config',
      positional: [['<name>', 'the name of the provider']],
      load: async () => (await import('./providers.ts')).removeFromProviders,
    },
    {
      name: 'test',
      summary: 'check that the key and address of a provider work; costs nothing',
      positional: [['[name]', 'the name of the provider (default: all that are set up)']],
      load: async () => (await import('./providers.ts')).testProviders,
    },
    {
      name: 'models',
      summary: 'list the models of a provider',
      positional: [['[name]', 'the name of the provider (default: all that are set up)']],
      load: async () => (await import('./providers.ts')).listProviderModels,
    },
  ],
  load: async () => (await import('./providers.ts')).printProviders,
}

export const CONFIG: CommandEntry = {
  name: 'config',
  summary: 'print the settings for this folder, and where each one is set',
  subcommands: [
    {
      name: 'schema',
      summary: 'print the JSON Schema of config files, for editors',
      load: async () => (await import('./config.ts')).printConfigSchema,
    },
  ],
  load: async () => (await import('./config.ts')).printConfig,
}

export const TRUST: CommandEntry = {
  name: 'trust',
  summary: 'review what a project’s files ask for, and allow it',
  positional: [['[path]', 'the project, or one of its files (default: this folder)']],
  options: [
    ['-l, --list', 'list trusted files'],
    ['--revoke <path>', 'stop trusting a file, or all files below a folder'],
    ['-y, --yes', 'trust without asking'],
  ],
  load: async () => (await import('./trust.ts')).trustProject,
}

export const DATABASE: CommandEntry = {
  name: 'db',
  summary: 'print a URL to connect to the database',
  subcommands: [
    {
      name: 'url',
      summary: 'print the database URL for a login; it contains a password',
      options: [['-r, --role <role>', 'the login: serving, learning, public, member or provider']],
      example: 'psql "$(parley db url --role public)"',
      load: async () => (await import('./db-url.ts')).printDatabaseUrl,
    },
  ],
  load: async () => (await import('./db-url.ts')).refuseBareDb,
}

export const DOCTOR: CommandEntry = {
  name: 'doctor',
  summary: 'check that Parley has everything it needs',
  load: async () => (await import('./doctor.ts')).runDoctor,
}
