import type { CommandEntry, OptionEntry, PositionalEntry } from './command.ts'

const ID: PositionalEntry = {
  syntax: '<id>',
  summary: 'its id, its name, the beginning of either, or demo',
}
const PATCH: PositionalEntry = { syntax: '<patch>', summary: 'the id of the patch or the beginning of it' }
const LIMIT: OptionEntry = { flags: '-n, --limit <count>', summary: 'how many to list (default: 50)' }
const YES: OptionEntry = { flags: '-y, --yes', summary: 'remove it without being asked' }
const NO_WAIT: OptionEntry = { flags: '--no-wait', summary: 'do not wait until it is done' }
const SURFACE: OptionEntry = {
  flags: '--surface <name>',
  summary: 'only of this one: standard, memory, public or public_part',
}
const NAMESPACES: PositionalEntry = { syntax: '<namespaces...>', summary: 'the names of the namespaces' }

const list = async () => (await import('./reflections.ts')).listReflections
const review = async () => (await import('./reflections-review.ts')).reviewPatch
const published = async () => (await import('./reflections-publish.ts')).changePublished

export const REFLECTIONS: CommandEntry = {
  name: 'reflections',
  summary: 'list the reflections of the Parley that runs; make them, feed them, ask them',
  options: [LIMIT],
  example: 'parley reflections ask demo "Where did she grow up?"',
  subcommands: [
    { name: 'list', summary: 'list the reflections', options: [LIMIT], load: list },
    {
      name: 'create',
      summary: 'make a reflection',
      positional: { syntax: '<name...>', summary: 'its display name' },
      options: [
        { flags: '-c, --creator <name>', summary: 'whose reflection it is, if named otherwise' },
        { flags: '--review', summary: 'let a person approve what is learned, every time' },
      ],
      example: 'parley reflections create "Ada Lovelace"',
      load: async () => (await import('./reflections-create.ts')).createReflection,
    },
    {
      name: 'show',
      summary: 'print its namespaces and how its sources stand',
      positional: ID,
      load: async () => (await import('./reflections-show.ts')).showReflection,
    },
    {
      name: 'change',
      summary:
        'give it another name or voice; say who approves what is learned, and whether visitors teach it',
      positional: ID,
      options: [
        { flags: '--name <name>', summary: 'its new display name' },
        { flags: '--review <on|off>', summary: 'whether a person approves what is learned, every time' },
        { flags: '--review-sessions <on|off>', summary: 'the same for what is said in sessions (owners)' },
        { flags: '--voice <id>', summary: "the provider's voice that it speaks with; none takes it away" },
        { flags: '--stock', summary: 'that voice is one of the provider, and nobody in particular has it' },
        { flags: '--consent', summary: 'the person whose voice it is agrees' },
        { flags: '--share-ingestion <on|off>', summary: 'whether what visitors say is learned from' },
      ],
      example: 'parley reflections change 4k2m --name "Ada King" --review on',
      load: async () => (await import('./reflections-change.ts')).changeReflection,
    },
    {
      name: 'add',
      summary: 'give it files to learn from: text, Markdown, HTML, PDF, DOCX, subtitles, chat exports',
      positional: [ID, { syntax: '<files...>', summary: 'the files; - reads text from standard input' }],
      options: [
        { flags: '--namespace <name>', summary: 'where it goes; a new one is private (default: general)' },
        {
          flags: '-t, --title <title>',
          summary: 'its title, in place of the name of the file; standard input needs one',
        },
        { flags: '--replaces <source>', summary: 'a new version of this source' },
        { flags: '-w, --wait', summary: 'show how far each is, until all are done' },
      ],
      example: 'parley reflections add 4k2m letters.pdf diary.md --namespace family --wait',
      load: async () => (await import('./reflections-add.ts')).addSources,
    },
    {
      name: 'sources',
      summary: 'list what it learns from, and how far each is',
      positional: ID,
      options: [LIMIT],
      load: async () => (await import('./reflections-sources.ts')).listSources,
    },
    {
      name: 'remove-source',
      summary: 'remove a source for good, with all that was learned from it',
      positional: [ID, { syntax: '<source>', summary: 'the id of the source or the beginning of it' }],
      options: [YES],
      load: async () => (await import('./reflections-remove.ts')).removeSource,
    },
    {
      name: 'facts',
      summary: 'list what was learned, with the words that bear it out',
      positional: ID,
      options: [LIMIT, { flags: '--state <state>', summary: 'only these: active, candidate or rejected' }],
      load: async () => (await import('./reflections-facts.ts')).listFacts,
    },
    {
      name: 'correct',
      summary: 'say that a fact is wrong, and what is right; it counts once a person approves it',
      positional: [
        ID,
        { syntax: '<fact>', summary: 'the id of the fact or the beginning of it, as `facts` shows it' },
        { syntax: '<correction...>', summary: 'what is right, as a sentence' },
      ],
      example: 'parley reflections correct demo 7f3k "Edda lives in Bergen."',
      load: async () => (await import('./reflections-correct.ts')).correctFact,
    },
    {
      name: 'patch',
      summary: 'print one patch with all of its facts',
      positional: [ID, PATCH],
      load: async () => (await import('./reflections-patch.ts')).showPatch,
    },
    {
      name: 'patches',
      summary: 'list what was extracted, batch by batch, and what became of it',
      positional: ID,
      options: [
        LIMIT,
        { flags: '--status <status>', summary: 'only these: proposed, applied, rejected or reverted' },
      ],
      load: async () => (await import('./reflections-patches.ts')).listPatches,
    },
    {
      name: 'approve',
      summary: 'let the facts of a patch count',
      positional: [ID, PATCH],
      options: [NO_WAIT],
      load: async () => (await review())('approve'),
    },
    {
      name: 'reject',
      summary: 'let the facts of a patch never count',
      positional: [ID, PATCH],
      options: [NO_WAIT],
      load: async () => (await review())('reject'),
    },
    {
      name: 'revert',
      summary: 'take back a patch that was applied',
      positional: [ID, PATCH],
      options: [NO_WAIT],
      load: async () => (await review())('revert'),
    },
    {
      name: 'publish',
      summary: 'let the public see namespaces',
      positional: [ID, NAMESPACES],
      load: async () => (await published())('publish'),
    },
    {
      name: 'unpublish',
      summary: 'keep namespaces from the public; every session through a link ends',
      positional: [ID, NAMESPACES],
      load: async () => (await published())('unpublish'),
    },
    {
      name: 'share',
      summary: 'make a link that lets anybody talk with it, by what is published',
      positional: ID,
      options: [
        {
          flags: '--namespaces <names>',
          summary: 'tell of these alone, with commas between them (default: all that is published)',
        },
        { flags: '--max-uses <count>', summary: 'how many sessions may start through it' },
        { flags: '--expires <time>', summary: 'for how long it is good: 30m, 12h, 7d' },
      ],
      example: 'parley reflections share demo --max-uses 20 --expires 7d',
      load: async () => (await import('./reflections-share.ts')).shareReflection,
    },
    {
      name: 'links',
      summary: 'list the links to it, how often each was used, and how it stands',
      positional: ID,
      load: async () => (await import('./reflections-links.ts')).listLinks,
    },
    {
      name: 'unshare',
      summary: 'revoke a link; whoever came by it is out at once',
      positional: [ID, { syntax: '<link>', summary: 'the id of the link or the beginning of it' }],
      load: async () => (await import('./reflections-links.ts')).unshareReflection,
    },
    {
      name: 'ask',
      summary: 'show what its sources say about a question, with scores and timing',
      positional: [ID, { syntax: '<question...>', summary: 'the question' }],
      options: [
        { flags: '--namespace <name>', summary: 'only of this namespace; may be repeated', repeatable: true },
        { flags: '--public', summary: 'only what the public would find now' },
        { flags: '-n, --limit <count>', summary: 'how much to show at most (default: 8)' },
      ],
      example: 'parley reflections ask demo "Where did she grow up?"',
      load: async () => (await import('./reflections-ask.ts')).askReflection,
    },
    {
      name: 'artifacts',
      summary: 'show what speaks for it, generation by generation, with every verdict',
      positional: ID,
      options: [
        LIMIT,
        { flags: '-g, --generation <number>', summary: 'print what this generation says' },
        { flags: '--diff <from..to>', summary: 'print what two generations say otherwise' },
      ],
      example: 'parley reflections artifacts demo --diff 3..5',
      load: async () => (await import('./reflections-artifacts.ts')).showArtifacts,
    },
    {
      name: 'verify',
      summary: 'work out its ledger anew from what is stored; ends with 1 where something is wrong',
      positional: ID,
      load: async () => (await import('./reflections-verify.ts')).verifyReflection,
    },
    {
      name: 'sync',
      summary: 'bring its agents at the voice provider to what speaks for it now',
      positional: ID,
      options: [SURFACE, { flags: '--show', summary: 'only print how they stand' }],
      load: async () => (await import('./reflections-sync.ts')).syncReflection,
    },
    {
      name: 'drift',
      summary:
        'compare its agents at the voice provider with what they should be; ends with 1 where they differ',
      positional: ID,
      options: [{ flags: '--repair', summary: 'make right what differs, and compare again' }],
      load: async () => (await import('./reflections-drift.ts')).reflectionDrift,
    },
    {
      name: 'test',
      summary:
        'try its agent at the voice provider with tests made from its facts; ends with 1 where one fails',
      positional: ID,
      options: [
        { flags: '--surface <name>', summary: 'whose agent: standard, memory or public (default: standard)' },
        { flags: '--write <file>', summary: 'write the tests to a file as JSON, in place of running them' },
      ],
      example: 'parley reflections test demo --surface public',
      load: async () => (await import('./reflections-test.ts')).testReflection,
    },
    {
      name: 'members',
      summary: 'list who may do what with it, and change that',
      positional: ID,
      options: [
        {
          flags: '--set <person=role>',
          summary:
            'give a person, whose id `parley tokens list` shows, a role: owner, admin, operator or viewer',
        },
        {
          flags: '--change <person>',
          summary: 'change which namespaces a viewer or operator can read, with --namespaces',
        },
        {
          flags: '--namespaces <names>',
          summary: 'private namespaces that they can read beside the published ones: all, or a,b',
        },
        { flags: '--remove <person>', summary: 'let a person be a member no more' },
      ],
      example: 'parley reflections members demo --change per_ada --namespaces work,talks',
      load: async () => (await import('./reflections-members.ts')).reflectionMembers,
    },
    {
      name: 'invite',
      summary: 'make a new person a member of it alone, by a link that signs them in, printed this once',
      positional: [ID, { syntax: '[name...]', summary: 'whom it is for' }],
      options: [
        {
          flags: '--again <person>',
          summary: 'give a member who was invited a new link; the one that they had ends',
        },
        {
          flags: '-r, --role <role>',
          summary: 'owner, admin, operator or viewer; at most your own (default: viewer)',
        },
        {
          flags: '--namespaces <names>',
          summary:
            'private namespaces that they can read beside the published ones: all, or a,b (default: none; owners and admins read all)',
        },
      ],
      example: 'parley reflections invite demo "Grace Hopper" --role viewer --namespaces work,talks',
      load: async () => (await import('./reflections-invite.ts')).inviteToReflection,
    },
    {
      name: 'leave',
      summary: 'be a member of it no more; its only owner stays',
      positional: ID,
      load: async () => (await import('./reflections-leave.ts')).leaveReflection,
    },
    {
      name: 'audit',
      summary: 'list what people did to it, latest first',
      positional: ID,
      options: [LIMIT],
      load: async () => (await import('./reflections-audit.ts')).auditReflection,
    },
    {
      name: 'remove',
      summary: 'remove it for good, with its sources and all that was learned',
      positional: ID,
      options: [YES],
      load: async () => (await import('./reflections-remove.ts')).removeReflection,
    },
  ],
  load: list,
}
