import { DossierSection, PackKind, type Dossier, type VoiceArtifacts } from '@parley/contracts'

export interface GenerationDocument {
  readonly title: string
  readonly about: string
  readonly parts: readonly DocumentPart[]
}

export interface DocumentPart {
  readonly heading?: string
  readonly layout: 'lines' | 'text' | 'prompt'
  readonly lines: readonly string[]
}

export function toDocuments(artifacts: VoiceArtifacts): readonly GenerationDocument[] {
  const {
    capsule,
    reflection_voice_dossier,
    persona_narrative,
    explore_next,
    prompt_packs,
    voice_evidence_pack,
    token_estimate,
  } = artifacts
  return [
    {
      title: 'Capsule',
      about: `${capsule.facts} facts from ${capsule.sources} sources, about ${token_estimate} tokens`,
      parts: [
        createLinesPart('About', capsule.about),
        createLinesPart('Tastes', capsule.tastes),
        createLinesPart('People', capsule.people),
        createTextPart('Narrative', persona_narrative),
        createLinesPart('To explore next', explore_next),
      ].filter(hasLines),
    },
    toDossierDocument('Private dossier', reflection_voice_dossier.private),
    toDossierDocument('Public dossier', reflection_voice_dossier.public),
    ...PackKind.options.map((kind) => toPackDocument(prompt_packs[kind])),
    {
      title: 'Evidence',
      about: `${voice_evidence_pack.items.length} facts with supporting quotes`,
      parts: [
        {
          layout: 'lines' as const,
          lines: voice_evidence_pack.items.map(
            ({ namespace, statement, quote }) => `${namespace}: ${statement} “${quote}”`,
          ),
        },
      ].filter(hasLines),
    },
  ]
}

function toDossierDocument(title: string, dossier: Dossier): GenerationDocument {
  const { lines: all, maturity, narrative, speakingStyle } = dossier
  return {
    title,
    about: `${all.length} lines, ${maturity}`,
    parts: [
      ...DossierSection.options.map((section) =>
        createLinesPart(
          SECTIONS[section],
          all.filter((line) => line.section === section).map((line) => line.text),
        ),
      ),
      createTextPart('Narrative', narrative),
      createTextPart('Speaking style', speakingStyle),
    ].filter(hasLines),
  }
}

const SECTIONS: Readonly<Record<DossierSection, string>> = {
  who: 'Who',
  life: 'Life',
  work: 'Work',
  people: 'People',
  tastes: 'Tastes',
  views: 'Views',
  else: 'Other',
}

const toPackDocument = ({
  kind,
  prompt,
  firstMessage,
  tools,
}: VoiceArtifacts['prompt_packs'][PackKind]): GenerationDocument => ({
  title: `Pack ${kind}`,
  about: `${prompt.length} characters; may call ${tools.join(', ')}`,
  parts: [
    createTextPart('First message', firstMessage),
    { heading: 'Prompt', layout: 'prompt', lines: [prompt] },
  ],
})

const createLinesPart = (heading: string, all: readonly string[]): DocumentPart => ({
  heading,
  layout: 'lines',
  lines: all,
})
const createTextPart = (heading: string, content: string): DocumentPart => ({
  heading,
  layout: 'text',
  lines: content === '' ? [] : [content],
})
const hasLines = (part: DocumentPart): boolean => part.lines.length > 0
