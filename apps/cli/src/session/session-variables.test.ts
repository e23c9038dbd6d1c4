import { PlatformError } from '@parley/contracts'
import { expect, test } from 'vitest'
import { readVariables } from './session-variables.ts'

test('[S9] names and values are told apart at the first equals sign', () => {
  expect(readVariables(['city=Oslo', 'formula=a=b', 'empty=', 'a.b-c_1=x'])).toEqual({
    city: 'Oslo',
    formula: 'a=b',
    empty: '',
    'a.b-c_1': 'x',
  })
})

test.each([
  [['city'], 'needs a name and a value'],
  [['=Oslo'], '"" cannot be the name'],
  [['my city=Oslo'], '"my city" cannot be the name'],
  [['1st=Oslo'], '"1st" cannot be the name'],
  [['city=Oslo', 'city=Rome'], 'given twice'],
])('%j is refused', (given, expected) => {
  expect(() => readVariables(given)).toThrow(expected)
})

const SECRET = 'sk-ant-api03-AbCdEf0123456789xyzAbCd'

test.each([[`key=${SECRET}`], [SECRET], [`my key=${SECRET}`]])(
  '[S9] a secret is refused, and never repeated',
  (given) => {
    let failure: unknown
    try {
      readVariables([given])
    } catch (thrown) {
      failure = thrown
    }
    expect(failure).toBeInstanceOf(PlatformError)
    expect(failure).toMatchObject({
      code: 'validation',
      message: expect.stringContaining('an Anthropic API key'),
    })
    expect(JSON.stringify((failure as PlatformError).detail)).not.toContain('AbCdEf')
  },
)

test.each([
  ['made-up-key-of-words', 'note=it is made-up-key-of-words, really'],
  ['short', 'note=short'],
])('[S9] the key of a provider is refused, whatever it looks like, and never repeated', (apiKey, given) => {
  const providers = [{ name: 'offline' }, { name: 'acme', apiKey }]
  expect(() => readVariables([given], providers)).toThrow(
    'The variable "note" holds the key of the provider acme.',
  )
  expect(readVariables(['note=a short one'], providers)).toEqual({ note: 'a short one' })
  expect(String(thrownBy(() => readVariables([given], providers)))).not.toContain(apiKey)
})

function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (failure) {
    return failure instanceof PlatformError ? JSON.stringify(failure.detail) : failure
  }
}
