import type { CommandEntry, OptionEntry, PositionalEntry } from './command.ts'

const ID: PositionalEntry = {
  syntax: '<id>',
  summary: 'its id, its name, the beginning of either, or demo',
}
const PATCH: PositionalEntry = { syntax: '<patch>', summary: 'the id of the patch or the beginning of it' }
const LIMIT: OptionEntry = { flags: '-n, --limit <count>', summary: 'how many to list (default: 50)' }
const YES: OptionEntry = { flags: '-y, --yes', summary: 'remove it without being asked' }
const NO_WAIT: OptionEntry = { flags: '--no-wait', summary: 'do not wait until it is done' }
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
      summary: 'give it another name, or let a person approve what is learned, or no longer',
      positional: ID,
      options: [
        { flags: '--name <name>', summary: 'its new display name' },
        { flags: '--review <on|off>', summary: 'whether a person approves what is learned, every time' },
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
      summary: 'keep namespaces from the public, from the next question on',
      positional: [ID, NAMESPACES],
      load: async () => (await published())('unpublish'),
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
      name: 'members',
      summary: 'list who may do what with it, and change that',
      positional: ID,
      options: [
        {
          flags: '--set <person=role>',
          summary:
            'give a person, whose id `parley tokens list` shows, a role: owner, admin, operator or viewer',
        },
        { flags: '--remove <person>', summary: 'let a person be a member no more' },
      ],
      load: async () => (await import('./reflections-members.ts')).reflectionMembers,
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
