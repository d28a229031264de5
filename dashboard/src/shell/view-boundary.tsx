import { Component, type ReactNode } from 'react';
import { ErrorState } from '../parts/page/error-state.tsx';

/** Keeps a fault in one view from taking the whole page with it; also a view whose file is gone after an update. */
export class ViewBoundary extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <ErrorState
        title="This view could not be shown. Syncline may have been updated: load the page again"
        error={error}
        retry={() => location.reload()}
      />
    );
  }
}
