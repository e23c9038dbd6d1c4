import type { CommandEntry, OptionEntry } from './command.ts'

const LIMIT: OptionEntry = { flags: '-n, --limit <count>', summary: 'how many to list (default: 50)' }

const list = async () => (await import('./tokens-list.ts')).listTokens

export const TOKENS: CommandEntry = {
  name: 'tokens',
  summary: 'list who has a token for the Parley that runs; make and revoke them',
  options: [LIMIT],
  subcommands: [
    {
      name: 'list',
      summary: 'list who has a token, never the tokens themselves',
      options: [LIMIT],
      load: list,
    },
    {
      name: 'create',
      summary: 'make a token for a new person, which is printed this once',
      positional: { syntax: '<name...>', summary: 'whom it is for' },
      options: [
        { flags: '-r, --role <role>', summary: 'owner, admin, operator, viewer or guest' },
        {
          flags: '--reflection <id>',
          summary:
            'a reflection of which they become a member in that role; on the server they are a viewer then',
        },
        {
          flags: '--namespaces <names>',
          summary:
            'private namespaces of the reflection that a viewer or operator can read: all, or a,b (default: all)',
        },
        {
          flags: '--subject <sub>',
          summary: 'whom the issuer of JWTs calls so (PARLEY_JWT_ISSUER), in place of a token',
        },
      ],
      example: 'parley tokens create "Grace Hopper" --role viewer --reflection demo',
      load: async () => (await import('./tokens-create.ts')).createToken,
    },
    {
      name: 'revoke',
      summary: 'let a token be none from the next request on',
      positional: { syntax: '<token>', summary: 'its id or the beginning of it, as `list` shows it' },
      load: async () => (await import('./tokens-revoke.ts')).revokeToken,
    },
  ],
  load: list,
}
