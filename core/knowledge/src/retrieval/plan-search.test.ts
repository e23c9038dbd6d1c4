import { describe, expect, test } from 'vitest'
import { planSearch } from './plan-search.ts'

const person = { displayName: 'The Holm Archive', creatorName: 'Ada Holm' }
const findKeys = (query: string) => planSearch(query, 5, person).entityKeys

describe('[K5] the subject of a question', () => {
  test.each([
    'Where do you live?',
    'your favourite boat',
    'Who are you?',
    'Where does she live?',
    'what was her job in Lisbon',
    'Did Ada ever sail?',
    'Wo wohnst du?',
  ])('is the reflection’s person: %s', (query) => {
    expect(findKeys(query)).toContain('ada holm')
  })

  test.each([
    'Where does Mara live?',
    'What did Mara do with her boat?',
    'Who is Lucifer?',
    'the young ferry',
  ])('is somebody else: %s', (query) => {
    expect(findKeys(query)).not.toContain('ada holm')
  })

  test('stays open if the person is unknown', () => {
    expect(planSearch('Who are you?', 5).entityKeys).toEqual([])
  })

  test('keeps the person among many names', () => {
    const names = Array.from({ length: 60 }, (_, n) => `Mara${n}`).join(', ')
    expect(findKeys(`Do you know ${names}?`)).toContain('ada holm')
  })
})

test.each([
  ['Where did you meet Mara?', 'met'],
  ['What is the name of the ferry?', 'called'],
  ['What is your job?', 'work'],
])('[K5] the search adds other words: %s', (query, word) => {
  expect(planSearch(query, 5).otherWords).toContain(word)
  expect(planSearch(query, 5).query).toBe(query)
})
