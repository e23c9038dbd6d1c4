import { PlatformError } from '@parley/contracts'
import type { SecretOf } from './tool-policy.ts'

/** Puts secrets in place of `{{secrets.NAME}}`; throws where there is none of that name. */
export const fillSecrets = (template: string, secretOf: SecretOf): string =>
  template.replace(NAMED, (_, name: string) => {
    const value = secretOf(name)
    if (value === undefined) throw missing(name)
    return value
  })

const NAMED = /\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g

/** A model has no business with secrets: what it writes never names one. */
export const namesSecret = (text: string): boolean => /\{\{\s*secrets\s*[.[]/.test(text)

const missing = (name: string) =>
  new PlatformError('config_invalid', {
    message: `There is no secret ${name}.`,
    mend: `Set it with: parley keys set ${name}`,
    name,
  })
