enum PipelineSeed {}
