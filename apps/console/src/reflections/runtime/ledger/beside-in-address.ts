/** Reads the version to compare with from the URL. */
export const besideInAddress = ({
  beside,
}: Readonly<Record<string, unknown>>): { readonly beside?: number } =>
  Number.isSafeInteger(beside) && Number(beside) > 0 ? { beside: Number(beside) } : {}
