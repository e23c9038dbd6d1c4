/** What answered is something else than the API that was asked, such as a web page. */
export class ForeignAnswerError extends Error {
  override readonly name = 'ForeignAnswerError'
  constructor() {
    super('not an answer of this API')
  }
}

/** Where to look when something else answers. */
export const CHECK_BASE_URL = 'check base_url, which for most servers ends in /v1.'
