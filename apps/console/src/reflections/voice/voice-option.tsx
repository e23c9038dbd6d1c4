interface VoiceOptionProps {
  readonly label: string
  readonly help?: string | undefined
  readonly checked: boolean
  readonly onChoose: () => void
}

export function VoiceOption({ label, help, checked, onChoose }: VoiceOptionProps) {
  return (
    <label className="flex items-baseline gap-2 py-1 text-sm leading-6 max-sm:py-2">
      <input type="radio" name="voice" checked={checked} onChange={onChoose} />
      <span className="min-w-0 wrap-anywhere">
        {label}
        {help && <span className="text-soft block">{help}</span>}
      </span>
    </label>
  )
}
