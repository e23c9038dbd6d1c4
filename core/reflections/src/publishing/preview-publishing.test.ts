import { expect, test } from 'vitest'
import { requirePublishable } from './preview-publishing.ts'

test('[P6] an unknown namespace is answered with those that can be published', () => {
  const namespaces = ['conversations', 'general'].map((name) => ({ name, isPublished: false }))
  expect(() => requirePublishable(['essays'], { namespaces })).toThrow(
    'There is no namespace essays. There are: general.',
  )
  expect(() => requirePublishable(['conversations', 'general'], { namespaces })).not.toThrow()
})
