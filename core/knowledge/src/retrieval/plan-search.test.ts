import { describe, expect, test } from 'vitest'
import { planSearch } from './plan-search.ts'

const whose = { displayName: 'The Holm Archive', creatorName: 'Ada Holm' }
const keysOf = (query: string) => planSearch(query, 5, whose).entityKeys

describe('[K5] whom a question speaks of', () => {
  test.each([
    'Where do you live?',
    'your favourite boat',
    'Who are you?',
    'Where does she live?',
    'what was her job in Lisbon',
    'Did Ada ever sail?',
    'Wo wohnst du?',
  ])('is whose reflection it is: %s', (query) => {
    expect(keysOf(query)).toContain('ada holm')
  })

  test.each([
    'Where does Mara live?',
    'What did Mara do with her boat?',
    'Who is Lucifer?',
    'the young ferry',
  ])('is somebody else: %s', (query) => {
    expect(keysOf(query)).not.toContain('ada holm')
  })

  test('stays open where nobody says whose reflection it is', () => {
    expect(planSearch('Who are you?', 5).entityKeys).toEqual([])
  })

  test('does not go for all the other names that there are', () => {
    const names = Array.from({ length: 60 }, (_, n) => `Mara${n}`).join(', ')
    expect(keysOf(`Do you know ${names}?`)).toContain('ada holm')
  })
})

test.each([
  ['Where did you meet Mara?', 'met'],
  ['What is the name of the ferry?', 'called'],
  ['What is your job?', 'work'],
])('[K5] is looked for in other words too: %s', (query, word) => {
  expect(planSearch(query, 5).otherWords).toContain(word)
  expect(planSearch(query, 5).query).toBe(query)
})
