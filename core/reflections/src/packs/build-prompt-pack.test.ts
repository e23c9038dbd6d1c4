import { Audience, type PackKind, Surface } from '@parley/contracts'
import { expect, test } from 'vitest'
import { getReflectionPromptPack } from './build-prompt-pack.ts'

test.each<[Audience, Surface, 'emerging' | 'established', PackKind]>([
  ['private', 'standard', 'established', 'private_standard'],
  ['private', 'memory', 'established', 'private_memory'],
  ['private', 'standard', 'emerging', 'private_emerging'],
  ['private', 'memory', 'emerging', 'private_emerging'],
  ['public', 'public', 'established', 'public_standard'],
  ['public', 'public', 'emerging', 'public_emerging'],
])('[P2] %s on %s, %s: %s', (audience, surface, maturity, kind) => {
  expect(getReflectionPromptPack(audience, surface, maturity)).toBe(kind)
})

const PUBLIC = [
  ...Surface.options.map((surface) => ['public', surface] as const),
  ...Audience.options.map((audience) => [audience, 'public'] as const),
]

test.each(PUBLIC)('[P12] no private pack serves the public: audience %s, surface %s', (audience, surface) => {
  for (const maturity of ['emerging', 'established'] as const) {
    expect(getReflectionPromptPack(audience, surface, maturity)).toMatch(/^public_/)
  }
})
