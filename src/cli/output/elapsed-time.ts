/** Returns the time since a date, rounded for display. */
export function elapsedText(since: Date): string {
  const seconds = Math.max(0, (Date.now() - since.getTime()) / 1000);
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}
