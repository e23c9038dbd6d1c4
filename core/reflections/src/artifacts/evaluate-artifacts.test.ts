import { createHash } from 'node:crypto'
import { type FactId, PackKind, AgentAction, type VoiceArtifacts } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { buildVoiceArtifacts, buildSyncMetadata } from './build-voice-artifacts.ts'
import { addContentHash } from './content-hash.ts'
import { END_CALL_GUIDANCE, isPublicPack, addPolicy } from '../packs/build-prompt-pack.ts'
import { createEvidence } from '../testing/evidence.fixture.ts'
import { evaluateArtifacts } from './evaluate-artifacts.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const built = buildVoiceArtifacts(
  {
    displayName: 'Ada Winter',
    creatorName: 'A. W.',
    evidence: [...createEvidence('essays', 20), ...createEvidence('diary', 20, 'CANARY-of-the-diary')],
    namespaces: ['essays', 'diary'],
    publishedNamespaces: ['essays'],
  },
  sha256,
)

type Change = (draft: VoiceArtifacts) => unknown

const changed = (change: Change): VoiceArtifacts => {
  const draft = structuredClone(built)
  change(draft)
  return draft
}

/** What a builder gone wrong would hand in: all of its hashes are right. */
function resealed(draft: VoiceArtifacts): VoiceArtifacts {
  const { reflection_voice_dossier: dossiers, prompt_packs } = draft
  const reflection_voice_dossier = {
    private: addContentHash(dossiers.private, sha256),
    public: addContentHash(dossiers.public, sha256),
  }
  const packs = PackKind.options.map((kind) => {
    const { contentHash: dossierHash } = reflection_voice_dossier[isPublicPack(kind) ? 'public' : 'private']
    return [kind, addContentHash({ ...prompt_packs[kind], dossierHash }, sha256)] as const
  })
  const made = {
    reflection_voice_dossier,
    prompt_packs: Object.fromEntries(packs) as VoiceArtifacts['prompt_packs'],
  }
  return {
    ...draft,
    ...made,
    capsule: addContentHash(draft.capsule, sha256),
    voice_evidence_pack: addContentHash(draft.voice_evidence_pack, sha256),
    sync_metadata: buildSyncMetadata(made),
  }
}

const findReasons = (payload: unknown, published: readonly string[] = ['essays']) =>
  evaluateArtifacts(payload, published, sha256).reasons

const removePolicy = (prompt: string) => prompt.replace(/^[^]*?\n\[end of policy \w+\]\n\n/, '')
const withBody =
  (kind: PackKind, change: (body: string) => string): Change =>
  ({ prompt_packs }) => {
    const pack = prompt_packs[kind]
    pack.prompt = addPolicy(change(removePolicy(pack.prompt)), sha256)
  }

test('[P10] built artifacts are approved, also with recomputed hashes', () => {
  expect(evaluateArtifacts(built, ['essays'], sha256)).toEqual({ verdict: 'approved', reasons: [] })
  expect(resealed(structuredClone(built))).toEqual(built)
})

test.each<[string, (draft: VoiceArtifacts) => unknown]>([
  ['a missing pack', (draft) => ({ ...draft, prompt_packs: {} })],
  ['an unknown part', (draft) => ({ ...draft, surprise: 1 })],
  [
    'a capsule without a hash',
    (draft) => ({ ...draft, capsule: { ...draft.capsule, contentHash: undefined } }),
  ],
  ['no sync metadata', (draft) => ({ ...draft, sync_metadata: undefined })],
  [
    'sync metadata without one surface',
    (draft) => ({ ...draft, sync_metadata: { public: draft.sync_metadata.public } }),
  ],
  [
    'sync metadata with an invalid hash',
    (draft) => ({
      ...draft,
      sync_metadata: {
        ...draft.sync_metadata,
        memory: { ...draft.sync_metadata.memory, dossierHash: 'made-up' },
      },
    }),
  ],
  ['a negative estimate', (draft) => ({ ...draft, token_estimate: -1 })],
])('[P10] the schema rejects %s', (_, change) => {
  const reasons = findReasons(change(structuredClone(built)))
  expect(reasons.length).toBeGreaterThan(0)
  for (const reason of reasons) expect(reason).toMatch(/^schema: /)
})

test.each<[string, Change]>([
  ['the capsule', ({ capsule }) => void (capsule.displayName = 'Somebody')],
  ['the evidence pack', ({ voice_evidence_pack }) => void voice_evidence_pack.items.pop()],
  ['the private dossier', (draft) => void (draft.reflection_voice_dossier.private.narrative = 'x')],
  ['the public dossier', (draft) => void (draft.reflection_voice_dossier.public.narrative = 'x')],
  ...PackKind.options.map((kind): [string, Change] => [
    `the pack ${kind}`,
    ({ prompt_packs }) => void (prompt_packs[kind].firstMessage = 'Hello'),
  ]),
])('[P10] rejects %s if it does not match its hash', (name, change) => {
  expect(findReasons(changed(change))).toContain(`hash: ${name} does not match its hash`)
})

const INVENTED = { section: 'who' as const, text: 'Ada Winter is a queen.' }

describe('[P10] [V12] rejects, although all hashes match,', () => {
  test.each<[string, Change, RegExp]>([
    [
      'a pack under another pack’s name',
      ({ prompt_packs }) => void (prompt_packs.private_memory.kind = 'private_standard'),
      /^packs: private_memory holds a pack of kind private_standard$/,
    ],
    [
      'a pack without a required variable',
      withBody('private_memory', (body) => body.replaceAll('{{off_record}}', 'no')),
      /^placeholders: private_memory does not name off_record$/,
    ],
    [
      'a pack that lists a variable which is not in its prompt',
      ({ prompt_packs }) => void prompt_packs.private_memory.placeholders.push('reflection_capsule_json'),
      /^placeholders: private_memory does not list the variables of its prompt$/,
    ],
    [
      'a private pack with the same tool three times',
      ({ prompt_packs }) =>
        void (prompt_packs.private_standard.tools = Array.from({ length: 3 }, () => 'retrieve-context')),
      /^tools: private_standard has retrieve-context, retrieve-context, retrieve-context$/,
    ],
    [
      'a private pack without one of its tools',
      ({ prompt_packs }) => void prompt_packs.private_standard.tools.pop(),
      new RegExp(`^tools: private_standard has ${AgentAction.options.slice(0, -1).join(', ')}$`),
    ],
    [
      'a public pack with writing tools',
      ({ prompt_packs }) => void (prompt_packs.public_standard.tools = [...AgentAction.options]),
      new RegExp(`^tools: public_standard has ${AgentAction.options.join(', ')}`),
    ],
    [
      'a pack without the policy',
      ({ prompt_packs }) => void (prompt_packs.private_memory.prompt = 'Hello'),
      /^policy: private_memory does not open with the policy$/,
    ],
    [
      'a pack without the tool that ends a call',
      withBody('private_memory', (body) => body.replace('end_call', 'nothing')),
      /^ending: private_memory does not say how a call ends$/,
    ],
    [
      'a pack without guidance on when to end a call',
      withBody('private_memory', (body) => body.replaceAll(END_CALL_GUIDANCE, 'Use end_call.')),
      /^ending: private_memory does not say how a call ends$/,
    ],
    ...[
      'session_recap',
      'user_context',
      'explore_next',
      'creator_name',
      'reflection_capsule_json',
      'reflection_persona_narrative',
      'reflection_speaking_style',
    ].map((name): [string, Change, RegExp] => [
      `a public pack that asks for ${name}`,
      withBody('public_standard', (body) => `${body}{{${name}}}`),
      new RegExp(`^audience: public_standard names ${name}$`),
    ]),
    ...(['private', 'public'] as const).flatMap((audience): [string, Change, RegExp][] => {
      const reason = new RegExp(`^provenance: a line of the ${audience} dossier has no (published )?evidence`)
      return [
        [
          `a ${audience} line with the id of another fact`,
          ({ reflection_voice_dossier: { [audience]: dossier } }) => {
            const [first, second] = dossier.lines
            if (first && second) first.factIds = second.factIds
          },
          reason,
        ],
        [
          `a ${audience} line with one fact that supports it and one that does not`,
          ({ reflection_voice_dossier: { [audience]: dossier } }) =>
            void dossier.lines[0]?.factIds.push('fct_nobody' as FactId),
          reason,
        ],
      ]
    }),
    [
      'a public line from a private fact',
      ({ reflection_voice_dossier: { private: all, public: open } }) => void (open.lines = all.lines),
      /^provenance: a line of the public dossier has no published evidence \(fct_diary\d+\)$/,
    ],
    [
      'an invented public line with a published fact',
      ({ reflection_voice_dossier: { public: open } }) =>
        void open.lines.push({ ...INVENTED, factIds: ['fct_essays1' as FactId] }),
      /^provenance: a line of the public dossier has no published evidence \(fct_essays1\)$/,
    ],
    [
      'a private line with an unknown fact',
      ({ reflection_voice_dossier: { private: all } }) =>
        void all.lines.push({ ...INVENTED, factIds: ['fct_nobody' as FactId] }),
      /^provenance: a line of the private dossier has no evidence \(fct_nobody\)$/,
    ],
    [
      'an invented private line with a known fact',
      ({ reflection_voice_dossier: { private: all } }) =>
        void all.lines.push({ ...INVENTED, factIds: ['fct_diary1' as FactId] }),
      /^provenance: a line of the private dossier has no evidence \(fct_diary1\)$/,
    ],
    [
      'a private dossier without one of its lines',
      ({ reflection_voice_dossier: { private: all } }) => void all.lines.pop(),
      /^private: the lines of the private dossier does not match its evidence$/,
    ],
    ...(['private', 'public'] as const).flatMap((audience): [string, Change, RegExp][] => [
      [
        `an invented narrative, ${audience}`,
        (draft) => void (draft.reflection_voice_dossier[audience].narrative = INVENTED.text),
        new RegExp(`^${audience}: the narrative of the ${audience} dossier`),
      ],
      [
        `an invented speaking style, ${audience}`,
        (draft) => void (draft.reflection_voice_dossier[audience].speakingStyle = 'shouts.'),
        new RegExp(`^${audience}: the speakingStyle of the ${audience} dossier`),
      ],
      [
        `another maturity, ${audience}`,
        (draft) => void (draft.reflection_voice_dossier[audience].maturity = 'emerging'),
        new RegExp(`^${audience}: the maturity of the ${audience} dossier`),
      ],
    ]),
    [
      'a model’s sentence that does not match its facts',
      ({ reflection_voice_dossier: { private: dossier } }) => {
        dossier.written = [{ text: INVENTED.text, factIds: [...(dossier.lines[0]?.factIds ?? [])] }]
        dossier.narrative = INVENTED.text
      },
      /^private: a sentence of the narrative does not match its facts/,
    ],
    [
      'a model’s sentence in the public dossier',
      ({ reflection_voice_dossier: { public: open } }) =>
        Object.assign(open, {
          written: open.lines.slice(0, 1).map(({ text, factIds }) => ({ text, factIds })),
        }),
      /^schema: .*written/,
    ],
    [
      'a public dossier with another name',
      ({ reflection_voice_dossier: { public: open } }) => void (open.displayName = 'A. W.'),
      /^public: the displayName of the public dossier/,
    ],
    ...PackKind.options.flatMap((kind): [string, Change, RegExp][] => [
      [
        `a prompt of ${kind} with an added line`,
        withBody(kind, (body) => `${body}\nYou are a queen.`),
        new RegExp(`^(?:private|public): ${kind} does not match its dossier$`),
      ],
      [
        `a changed greeting of ${kind}`,
        ({ prompt_packs }) => void (prompt_packs[kind].firstMessage = 'I am a queen.'),
        new RegExp(`^(?:private|public): ${kind} does not match its dossier$`),
      ],
    ]),
    [
      'an invented capsule',
      ({ capsule }) => void capsule.about.push(INVENTED.text),
      /^capsule: the capsule does not match its evidence$/,
    ],
    [
      'a capsule with another name',
      ({ capsule }) => void (capsule.displayName = 'A queen'),
      /^capsule: the capsule does not match its evidence$/,
    ],
    [
      'an invented estimate',
      (draft) => void (draft.token_estimate += 1),
      /^capsule: the token_estimate does not match the capsule$/,
    ],
    [
      'an invented narrative for the generic agent',
      (draft) => void (draft.persona_narrative = INVENTED.text),
      /^capsule: the persona_narrative does not match the private dossier$/,
    ],
    [
      'an invented question',
      (draft) => void draft.explore_next.push('What is your password?'),
      /^capsule: explore_next does not match its evidence$/,
    ],
  ])('%s', (_, change, reason) => {
    const { verdict, reasons } = evaluateArtifacts(resealed(changed(change)), ['essays'], sha256)
    expect(verdict).toBe('rejected')
    expect(reasons).toContainEqual(expect.stringMatching(reason))
  })
})

test.each<[string, Change, RegExp]>([
  [
    'a pack of another dossier',
    ({ prompt_packs, reflection_voice_dossier: { private: all } }) =>
      void (prompt_packs.public_standard.dossierHash = all.contentHash),
    /^dossier: public_standard was made from a dossier of another build$/,
  ],
  ...(['packKind', 'packContentHash', 'dossierHash'] as const).map((name): [string, Change, RegExp] => [
    `sync metadata with the ${name} of another surface`,
    ({ sync_metadata: { memory, public: open } }) => Object.assign(memory, { [name]: open[name] }),
    new RegExp(`^sync: the ${name} of the surface memory does not match its pack$`),
  ]),
  [
    'sync metadata of another scope',
    ({ sync_metadata: { public: open, memory } }) => void (open.publishedScopeHash = memory.dossierHash),
    /^sync: the publishedScopeHash of the surface public does not match its pack$/,
  ],
])('[P10] rejects %s', (_, change, reason) => {
  expect(findReasons(changed(change))).toContainEqual(expect.stringMatching(reason))
})

test('[P10] rejects artifacts of another scope, and lines that are no longer published', () => {
  const reasons = findReasons(built, [])
  expect(reasons.some((reason) => reason.startsWith('scope:'))).toBe(true)
  expect(reasons.filter((reason) => reason.startsWith('provenance:')).length).toBe(
    built.reflection_voice_dossier.public.lines.length,
  )
})

test('[P10] a rejection lists all reasons, the same ones each time', () => {
  const bad = changed(({ prompt_packs }) => {
    prompt_packs.public_standard.prompt = 'Hello'
    prompt_packs.private_memory.prompt = 'Hello'
  })
  const first = evaluateArtifacts(bad, ['essays'], sha256)
  expect(first.reasons.length).toBeGreaterThan(6)
  expect(evaluateArtifacts(structuredClone(bad), ['essays'], sha256)).toEqual(first)
})
