#!/bin/bash
# Joins two tables as a Slurm array, a shard for each task. The folder is shared by all nodes. Submit, and merge after it:
#   job=$(sbatch --parsable slurm.sh left.csv right.csv)
#   sbatch --dependency=afterok:"$job" --wrap 'pearl merge parts/*.part -o joined.csv'
#SBATCH --job-name=pearl-join
#SBATCH --array=1-16
#SBATCH --cpus-per-task=4
#SBATCH --mem=8G
#SBATCH --output=%x-%a.log
set -eu
mkdir -p parts
pearl join "$1" "$2" --threads "$SLURM_CPUS_PER_TASK" \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" -o "parts/$SLURM_ARRAY_TASK_ID.part"
