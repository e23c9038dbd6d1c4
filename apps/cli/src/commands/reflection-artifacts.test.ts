import type { ArtifactsChange } from '@parley/reflections'
import { expect, test } from 'vitest'
import { createStyle } from '../render/display.ts'
import { renderArtifactsChanges } from './reflection-artifacts.ts'

const display = { style: createStyle(false), columns: 80, isTerminal: false }

test('[P9] each changed line is shown once, with its parts', () => {
  const changes: readonly ArtifactsChange[] = [
    { part: 'evidence', removed: [], added: ['general: Ida likes rowing.'] },
    {
      part: 'private dossier',
      removed: ['maturity: emerging'],
      added: ['maturity: established', 'tastes: Ida likes rowing.'],
    },
    { part: 'pack private_standard', removed: [], added: ['- Ida likes rowing.'] },
    { part: 'pack private_memory', removed: [], added: ['- Ida likes rowing.', 'first message: Hello.'] },
  ]
  expect(renderArtifactsChanges(changes, display)).toEqual([
    '- maturity: emerging  (private dossier)',
    '+ Ida likes rowing.  (evidence, private dossier, packs private_standard, private_memory)',
    '+ maturity: established  (private dossier)',
    '+ first message: Hello.  (pack private_memory)',
  ])
})
