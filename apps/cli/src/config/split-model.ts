/** The two parts of a model's name such as `local/meta/llama3`: its provider, and what that calls it. */
export function splitModel(reference: string): { readonly provider: string; readonly model: string } {
  const slash = reference.indexOf('/')
  return { provider: reference.slice(0, slash), model: reference.slice(slash + 1) }
}
