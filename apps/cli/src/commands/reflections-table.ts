import type { CommandEntry, OptionEntry, ArgumentEntry } from './command.ts'

const ID: ArgumentEntry = ['<id>', 'reflection id or name, the start of either, or demo']
const PATCH: ArgumentEntry = ['<patch>', 'patch id, or the start of it']
const LIMIT: OptionEntry = ['-n, --limit <count>', 'how many to list (default: 50)']
const YES: OptionEntry = ['-y, --yes', 'remove without asking']
const NO_WAIT: OptionEntry = ['--no-wait', 'return at once instead of waiting']
const SURFACE: OptionEntry = ['--surface <name>', 'only this agent: standard, memory, public or public_part']
const FOLDERS: ArgumentEntry = ['<folders...>', 'the names of the folders']

const loadList = async () => (await import('./reflections.ts')).listReflections
const loadReview = async () => (await import('./reflection-facts.ts')).createReviewCommand
const loadPublishing = async () => (await import('./reflection-sharing.ts')).createPublishCommand

export const REFLECTIONS: CommandEntry = {
  name: 'reflections',
  summary: 'list reflections on the running server; create them, add sources, share them',
  options: [LIMIT],
  example: 'parley reflections ask demo "Where did she grow up?"',
  subcommands: [
    { name: 'list', summary: 'list the reflections', options: [LIMIT], load: loadList },
    {
      name: 'create',
      summary: 'create a reflection',
      positional: [['<name...>', 'its display name']],
      options: [
        ['-c, --creator <name>', 'the person it represents, if the name differs'],
        ['--review', 'require a person to approve every new fact'],
      ],
      example: 'parley reflections create "Ada Lovelace"',
      load: async () => (await import('./reflections.ts')).createReflection,
    },
    {
      name: 'show',
      summary: 'print the folders of a reflection and the status of its sources',
      positional: [ID],
      load: async () => (await import('./reflections.ts')).showReflection,
    },
    {
      name: 'change',
      summary: 'change the name, voice and learning settings of a reflection',
      positional: [ID],
      options: [
        ['--name <name>', 'its new display name'],
        ['--review <on|off>', 'whether a person must approve every new fact'],
        ['--review-sessions <on|off>', 'the same for facts from conversations (owners only)'],
        ['--voice <id>', 'id of a voice at the provider; none removes it'],
        ['--stock', 'the voice is a stock voice and needs no consent'],
        ['--consent', 'the person with this voice has agreed'],
        ['--share-ingestion <on|off>', 'whether it learns from visitors'],
      ],
      example: 'parley reflections change 4k2m --name "Ada King" --review on',
      load: async () => (await import('./reflections.ts')).changeReflection,
    },
    {
      name: 'add',
      summary: 'add files to learn from: text, Markdown, HTML, PDF, DOCX, subtitles, chat exports',
      positional: [ID, ['<files...>', 'the files; - reads text from standard input']],
      options: [
        ['--namespace <folder>', 'the folder to add to; a new folder is private (default: general)'],
        ['-t, --title <title>', 'title (default: the file name); required for standard input'],
        ['--replaces <source>', 'the source this is a new version of'],
        ['-w, --wait', 'wait until all are imported, and show progress'],
      ],
      example: 'parley reflections add 4k2m letters.pdf diary.md --namespace family --wait',
      load: async () => (await import('./reflection-sources.ts')).addSources,
    },
    {
      name: 'sources',
      summary: 'list the sources of a reflection and their progress',
      positional: [ID],
      options: [LIMIT],
      load: async () => (await import('./reflection-sources.ts')).listSources,
    },
    {
      name: 'remove-source',
      summary: 'remove a source permanently, with every fact learned from it',
      positional: [ID, ['<source>', 'source id, or the start of it']],
      options: [YES],
      load: async () => (await import('./reflections.ts')).removeSource,
    },
    {
      name: 'facts',
      summary: 'list the facts of a reflection with supporting quotes',
      positional: [ID],
      options: [LIMIT, ['--state <state>', 'only facts in this state: active, candidate or rejected']],
      load: async () => (await import('./reflection-facts.ts')).listFacts,
    },
    {
      name: 'correct',
      summary: 'correct a fact; the correction applies once a person approves it',
      positional: [
        ID,
        ['<fact>', 'fact id, or the start of it, from `parley reflections facts`'],
        ['<correction...>', 'the correct fact, as a sentence'],
      ],
      example: 'parley reflections correct demo 7f3k "Edda lives in Bergen."',
      load: async () => (await import('./reflection-facts.ts')).correctFact,
    },
    {
      name: 'patch',
      summary: 'print one patch with all its facts',
      positional: [ID, PATCH],
      load: async () => (await import('./reflection-facts.ts')).showPatch,
    },
    {
      name: 'patches',
      summary: 'list patches (batches of extracted facts) and their status',
      positional: [ID],
      options: [LIMIT, ['--status <status>', 'only this status: proposed, applied, rejected or reverted']],
      load: async () => (await import('./reflection-facts.ts')).listPatches,
    },
    {
      name: 'approve',
      summary: 'approve a patch: its facts become active',
      positional: [ID, PATCH],
      options: [NO_WAIT],
      load: async () => (await loadReview())('approve'),
    },
    {
      name: 'reject',
      summary: 'reject a patch: its facts are never used',
      positional: [ID, PATCH],
      options: [NO_WAIT],
      load: async () => (await loadReview())('reject'),
    },
    {
      name: 'revert',
      summary: 'undo an applied patch',
      positional: [ID, PATCH],
      options: [NO_WAIT],
      load: async () => (await loadReview())('revert'),
    },
    {
      name: 'publish',
      summary: 'make folders public',
      positional: [ID, FOLDERS],
      load: async () => (await loadPublishing())('publish'),
    },
    {
      name: 'unpublish',
      summary:
        'make folders private again; ends typed public sessions at once, and calls at their next question',
      positional: [ID, FOLDERS],
      load: async () => (await loadPublishing())('unpublish'),
    },
    {
      name: 'share',
      summary: 'create a link that lets anyone talk with a reflection about its public folders',
      positional: [ID],
      options: [
        ['--namespaces <folders>', 'only these folders, comma-separated (default: all public folders)'],
        ['--max-uses <count>', 'maximum number of sessions'],
        ['--expires <time>', 'how long it is valid: 30m, 12h, 7d'],
      ],
      example: 'parley reflections share demo --max-uses 20 --expires 7d',
      load: async () => (await import('./reflection-sharing.ts')).shareReflection,
    },
    {
      name: 'links',
      summary: 'list the share links of a reflection, their uses and status',
      positional: [ID],
      load: async () => (await import('./reflection-sharing.ts')).listLinks,
    },
    {
      name: 'unshare',
      summary: 'revoke a share link; ends its sessions at once',
      positional: [ID, ['<link>', 'link id, or the start of it']],
      load: async () => (await import('./reflection-sharing.ts')).revokeShareLink,
    },
    {
      name: 'ask',
      summary: 'search the sources of a reflection for a question; shows passages, scores and timing',
      positional: [ID, ['<question...>', 'the question']],
      options: [
        ['--namespace <folder>', 'search only this folder; may be repeated', 'repeatable'],
        ['--public', 'search only what the public can see'],
        ['-n, --limit <count>', 'how many passages to show (default: 8)'],
      ],
      example: 'parley reflections ask demo "Where did she grow up?"',
      load: async () => (await import('./reflection-ask.ts')).askReflection,
    },
    {
      name: 'artifacts',
      summary: 'show the version history of a reflection with every review decision',
      positional: [ID],
      options: [
        LIMIT,
        ['-g, --generation <number>', 'print the content of this version'],
        ['--diff <from..to>', 'compare two versions'],
      ],
      example: 'parley reflections artifacts demo --diff 3..5',
      load: async () => (await import('./reflection-artifacts.ts')).showArtifacts,
    },
    {
      name: 'verify',
      summary: 'check the version history of a reflection against the stored data; exits with 1 on a problem',
      positional: [ID],
      load: async () => (await import('./reflection-artifacts.ts')).verifyReflection,
    },
    {
      name: 'sync',
      summary: 'update the agents of a reflection at the voice provider to the current version',
      positional: [ID],
      options: [SURFACE, ['--show', 'only print their status']],
      load: async () => (await import('./reflection-agents.ts')).syncAgents,
    },
    {
      name: 'drift',
      summary:
        'compare the agents at the voice provider with the expected settings; exits with 1 on a difference',
      positional: [ID],
      options: [['--repair', 'fix the differences, then compare again']],
      load: async () => (await import('./reflection-agents.ts')).compareAgents,
    },
    {
      name: 'test',
      summary: 'test an agent at the voice provider with questions from the facts; exits with 1 on a failure',
      positional: [ID],
      options: [
        ['--surface <name>', 'which agent: standard, memory or public (default: standard)'],
        ['--write <file>', 'write the tests to a JSON file instead of running them'],
      ],
      example: 'parley reflections test demo --surface public',
      load: async () => (await import('./reflection-agents.ts')).testAgent,
    },
    {
      name: 'members',
      summary: 'list and change the members of a reflection',
      positional: [ID],
      options: [
        [
          '--set <person=role>',
          'give a person (id from `parley tokens list`) a role: owner, admin, operator or viewer',
        ],
        ['--change <person>', 'change which folders a viewer or operator can read; use with --namespaces'],
        [
          '--namespaces <folders>',
          'private folders they can read, in addition to the public ones: all, or a,b',
        ],
        ['--remove <person>', 'remove a member'],
      ],
      example: 'parley reflections members demo --change per_ada --namespaces work,talks',
      load: async () => (await import('./reflection-members.ts')).manageMembers,
    },
    {
      name: 'invite',
      summary: 'invite a new member by a sign-in link, which is printed only once',
      positional: [ID, ['[name...]', 'the name of the person']],
      options: [
        ['--again <person>', 'create a new link for an invited member; the old one stops working'],
        ['-r, --role <role>', 'owner, admin, operator or viewer; at most your own (default: viewer)'],
        [
          '--namespaces <folders>',
          'private folders they can read: all, or a,b (default: none; owners and admins read all)',
        ],
      ],
      example: 'parley reflections invite demo "Grace Hopper" --role viewer --namespaces work,talks',
      load: async () => (await import('./reflection-members.ts')).inviteToReflection,
    },
    {
      name: 'leave',
      summary: 'leave a reflection; the only owner cannot leave',
      positional: [ID],
      load: async () => (await import('./reflection-members.ts')).leaveReflection,
    },
    {
      name: 'audit',
      summary: 'list changes to a reflection and who made them, latest first',
      positional: [ID],
      options: [LIMIT],
      load: async () => (await import('./reflection-members.ts')).listAuditLog,
    },
    {
      name: 'remove',
      summary: 'remove a reflection permanently, with its sources and facts',
      positional: [ID],
      options: [YES],
      load: async () => (await import('./reflections.ts')).removeReflection,
    },
  ],
  load: loadList,
}
