import { z } from 'zod'

/**
 * The values that `{{name}}` stands for where a conversation gives none. A client that writes the key in camelCase
 * would have no variables and never learn of it, so that is refused.
 */
export const DynamicVariables = z.looseObject({
  dynamic_variable_placeholders: z.record(z.string(), z.unknown()).default({}),
  dynamicVariablePlaceholders: z
    .undefined('Unknown field dynamicVariablePlaceholders: write dynamic_variable_placeholders')
    .optional(),
})
